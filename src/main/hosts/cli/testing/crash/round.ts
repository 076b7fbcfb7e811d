import { scripted } from '../headway.ts';

/** The tickets of one round, and what the base must hold once all of them have merged. */
export type Round = {
  name: string;
  tickets: Record<string, string>;
  /** Lines of each file, sorted. */
  expected: Record<string, string[]>;
};

/**
 * Disjoint ones, one behind another by its path, one by a dependency, two that both stray into one file (so that one of them
 * is in conflict and runs again), one that commits itself, and one that leaves a process behind outside its group.
 */
export function makeRound(number: number, witness: string, pausesMs: readonly number[]): Round {
  const name = `r${number}`;
  const file = (letter: string): string => `${name}/${letter}.txt`;
  const tickets: Record<string, string> = {};
  const expected: Record<string, string[]> = {};
  const add = (
    letter: string,
    options: { path?: string; dependsOn?: string; stray?: string; more?: readonly unknown[] } = {},
  ): void => {
    const id = `${letter}-${number}`;
    const pauseMs = pausesMs[Object.keys(tickets).length % pausesMs.length] ?? 0;
    const path = options.path ?? file(letter);
    const written = [path, ...(options.stray ? [options.stray] : [])];
    for (const each of written) expected[each] = [...(expected[each] ?? []), id].toSorted();
    tickets[id] = scripted(
      { id, paths: [path], ...(options.dependsOn ? { dependsOn: [`${options.dependsOn}-${number}`] } : {}) },
      [
        { run: `sh ${witness} ${id} ${(pauseMs / 1000).toFixed(2)}` },
        ...written.map((each) => ({ append: { path: each, content: `${id}\n` } })),
        ...(options.more ?? []),
      ],
    );
  };
  add('A');
  add('B', { more: [{ commit: 'own commit of the agent' }] });
  add('C', { path: file('A') });
  add('D', { dependsOn: 'A' });
  add('E', { stray: file('shared') });
  add('F', { stray: file('shared') });
  add('G', { more: [{ run: 'setsid sleep 300 >/dev/null 2>&1 &' }] });
  return { name, tickets, expected };
}

/**
 * Run by every agent: says so where another agent of the same ticket is still alive. By a lock that the system lets go of, since an
 * agent may not see the processes of another one.
 * usage: witness.sh TICKET SECONDS
 */
export function witnessScript(dir: string): string {
  return `exec 9>"${dir}/$1"
flock -n 9 || echo "$1: attempt $HEADWAY_ATTEMPT works while another one does" >> "${dir}/twice.log"
echo "$1 $HEADWAY_ATTEMPT" >> "${dir}/runs.log"
sleep "$2"
`;
}
