import { z } from 'zod';
import { toError } from '../../shared/errors.ts';
import type { Environment } from '../processes/environment.ts';
import { run } from '../processes/run.ts';
import { CappedOutput } from './capped-output.ts';
import type { ToolSpec } from './chat-model.ts';
import type { ToolCall, ToolResult } from './conversation.ts';
import { editText, listFiles, readText, writeText } from './tool-files.ts';

/** Where tools work. File tools stay inside `dir`; a command starts there and sees `env` alone. */
export type Workshop = {
  dir: string;
  env: Environment;
  signal: AbortSignal;
  /** Output of commands as it comes. */
  output(bytes: Uint8Array): void;
};

const RUN_OUTPUT_BYTES = 24 * 1024;
const DEFAULT_RUN_SECONDS = 120;
const MAX_RUN_SECONDS = 1800;

const path = z.string().min(1).describe('relative to the current directory');
const inputs = {
  list: z.object({
    path: path.default('.'),
    depth: z.int().min(1).max(6).default(2).describe('levels of folders'),
  }),
  read: z.object({
    path,
    offset: z.int().min(1).default(1).describe('first line, from 1'),
    limit: z.int().min(1).optional().describe('number of lines'),
  }),
  write: z.object({ path, content: z.string().describe('the whole new text of the file') }),
  edit: z.object({
    path,
    old: z.string().min(1).describe('text to replace, exactly as it stands in the file'),
    new: z.string(),
    all: z.boolean().default(false).describe('every place instead of the only one'),
  }),
  run: z.object({
    command: z.string().min(1),
    timeoutSeconds: z.int().min(1).max(MAX_RUN_SECONDS).default(DEFAULT_RUN_SECONDS),
  }),
};
type ToolName = keyof typeof inputs;

const DESCRIPTIONS: Record<ToolName, string> = {
  list: 'Lists files and folders.',
  read: 'Reads a text file.',
  write: 'Makes a text file, or replaces all of it. Folders are made as needed.',
  edit: 'Replaces a piece of a text file. The old text must stand there exactly once.',
  run: 'Runs a command line in a shell in the current directory and gives its output and exit code. It gets no input, and what it leaves running ends with it.',
};

const isTool = (name: string): name is ToolName => Object.hasOwn(inputs, name);

/** The tools as a model is told of them. */
export const TOOLS: readonly ToolSpec[] = (Object.keys(inputs) as ToolName[]).map((name) => {
  const { $schema: _, ...parameters } = z.toJSONSchema(inputs[name], { io: 'input' });
  return { name, description: DESCRIPTIONS[name], parameters };
});

/** What a call is about, for the pane. */
export function describeCall(call: ToolCall): { verb: string; object: string } {
  const input = (typeof call.input === 'object' && call.input !== null ? call.input : {}) as Record<
    string,
    unknown
  >;
  const object = input.command ?? input.path ?? '';
  const verb = call.name.charAt(0).toUpperCase() + call.name.slice(1);
  return { verb, object: typeof object === 'string' ? object : '' };
}

/** Does one call. Never rejects for what the model asked: a wrong name, wrong arguments or a failure is a result that says so. */
export async function runTool(call: ToolCall, workshop: Workshop): Promise<ToolResult> {
  const result = (text: string, failed = false): ToolResult => ({
    id: call.id,
    name: call.name,
    text,
    failed,
  });
  if (!isTool(call.name)) {
    return result(`there is no tool ${call.name}; there are ${Object.keys(inputs).join(', ')}`, true);
  }
  const parsed = inputs[call.name].safeParse(asObject(call.input));
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`);
    return result(`wrong arguments for ${call.name}: ${problems.join('; ')}`, true);
  }
  try {
    if (call.name === 'run') return await runCommand(parsed.data as Input<'run'>, workshop, result);
    return result(await fileTool(call.name, parsed.data, workshop.dir));
  } catch (thrown) {
    return result(toError(thrown).message, true);
  }
}

type Input<N extends ToolName> = z.output<(typeof inputs)[N]>;

/** Some models give their arguments as JSON in a string. */
function asObject(input: unknown): unknown {
  if (typeof input !== 'string') return input ?? {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function fileTool(name: Exclude<ToolName, 'run'>, input: unknown, dir: string): Promise<string> {
  switch (name) {
    case 'list': {
      const { path: folder, depth } = input as Input<'list'>;
      return listFiles(dir, folder, depth);
    }
    case 'read': {
      const { path: file, offset, limit } = input as Input<'read'>;
      return readText(dir, file, offset, limit);
    }
    case 'write': {
      const { path: file, content } = input as Input<'write'>;
      return writeText(dir, file, content);
    }
    case 'edit': {
      const edit = input as Input<'edit'>;
      return editText(dir, edit.path, edit);
    }
  }
}

async function runCommand(
  input: Input<'run'>,
  workshop: Workshop,
  result: (text: string, failed?: boolean) => ToolResult,
): Promise<ToolResult> {
  const kept = new CappedOutput(RUN_OUTPUT_BYTES);
  const ended = await run({
    command: { shell: input.command },
    cwd: workshop.dir,
    env: workshop.env,
    timeoutMs: input.timeoutSeconds * 1000,
    signal: workshop.signal,
    captureBytes: 1024,
    onOutput: (bytes) => {
      kept.push(bytes);
      workshop.output(bytes);
    },
  });
  const text = kept.text();
  switch (ended.status) {
    case 'exited':
      return result(`exit ${ended.exit}\n${text}`);
    case 'timed-out':
      return result(`ended after ${input.timeoutSeconds} s, its limit\n${text}`, true);
    case 'cancelled':
      return result('cancelled', true);
    case 'not-started':
      return result(`could not start: ${ended.error ?? 'unknown'}`, true);
  }
}
