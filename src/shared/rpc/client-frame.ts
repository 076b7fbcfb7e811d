import { z } from 'zod';
import type { ClientFrame } from '../contract.ts';

/** Largest piece of typed or pasted input in one frame. */
export const MAX_INPUT_BYTES = 1024 * 1024;

const stream = z.number().int().min(1).max(0xffff_ffff);
const sessionId = z.string().min(1).max(255);

const clientFrameSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('request'),
    id: z.number().int().nonnegative(),
    name: z.string().max(100),
    params: z.unknown(),
  }),
  z.object({ type: z.literal('open'), stream, sessionId }),
  z.object({
    type: z.literal('ack'),
    stream,
    bytes: z.number().int().nonnegative(),
    keptLines: z.number().int().nonnegative().optional(),
  }),
  z.object({
    type: z.literal('input'),
    sessionId,
    bytes: z
      .instanceof(Uint8Array)
      .refine((bytes) => bytes.byteLength <= MAX_INPUT_BYTES, 'input is larger than 1 MB'),
  }),
  z.object({ type: z.literal('close'), stream }),
]);

/** Undefined where it is no frame of the contract: the sender is broken, foreign or hostile. */
export function parseClientFrame(value: unknown): ClientFrame | undefined {
  const parsed = clientFrameSchema.safeParse(value);
  return parsed.success ? (parsed.data as ClientFrame) : undefined;
}
