import { config } from 'zod';

// The page's content policy forbids generated code; without this zod probes for it and the browser reports a violation.
config({ jitless: true });
