import { rmSync } from 'node:fs';

// What a deleted source once compiled to would still be tested and shipped.
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
