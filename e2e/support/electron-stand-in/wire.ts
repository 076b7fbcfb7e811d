/** Values between the main process and a page as JSON: bytes become base64. Runs in both. */
export function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) {
    let text = '';
    for (const byte of value) text += String.fromCharCode(byte);
    return { $bytes: btoa(text) };
  }
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, encode(inner)]));
}

export function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  const { $bytes } = value as { $bytes?: string };
  if ($bytes !== undefined) return Uint8Array.from(atob($bytes), (char) => char.charCodeAt(0));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, decode(inner)]));
}

export type ToPage =
  | { type: 'message'; channel: string; message: unknown; ports: number[] }
  | { type: 'result'; id: number; value?: unknown; error?: string }
  | { type: 'port'; port: number; data: unknown }
  | { type: 'port-close'; port: number };

export type FromPage =
  | { type: 'invoke'; id: number; channel: string; args: unknown[] }
  | { type: 'port'; port: number; data: unknown }
  | { type: 'port-close'; port: number };
