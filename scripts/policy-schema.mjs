// Writes docs/headway.schema.json, the JSON Schema of the policy file for editors. A test asserts that it is up to date.
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { policySchema } from '../src/main/gate/policy/policy-schema.ts';

const target = new URL('../docs/headway.schema.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(z.toJSONSchema(policySchema, { io: 'input' }), undefined, 2)}\n`);
