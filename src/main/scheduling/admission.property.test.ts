import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../shared/domain.ts';
import { type Admission, type AdmissionEntry, createAdmission } from './admission.ts';
import { AGEING_MS } from './admission-order.ts';
import { claimsOverlap, toClaim } from './claims.ts';

const CAPS = { machine: 4, repository: 3, repositories: { r2: 1 }, user: 2 };
const limitOf = (repoId: string): number => (repoId === 'r2' ? 1 : CAPS.repository);

const path = fc
  .array(fc.constantFrom('a', 'b', 'A', 'a.ts', 'b.d.ts', 'c'), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join('/'));
const claim = fc.oneof(
  { weight: 1, arbitrary: fc.constant<Claim>({ kind: 'everything', why: 'it names no paths' }) },
  {
    weight: 6,
    arbitrary: fc
      .array(path, { minLength: 1, maxLength: 3 })
      .map((paths) => toClaim(paths, { root: '/repo', from: 'declared' })),
  },
);

/** Jobs that depend on earlier ones only, so that there is no circle; some pause, some wait long already. */
const queue = fc
  .array(
    fc.record({
      repoId: fc.constantFrom('r1', 'r1', 'r2'),
      user: fc.constantFrom('ada', 'ada', 'bob', undefined),
      claim,
      priority: fc.constantFrom('interactive' as const, 'batch' as const, 'background' as const),
      dependsOn: fc.array(fc.nat({ max: 30 }), { maxLength: 2 }),
      related: fc.array(fc.nat({ max: 30 }), { maxLength: 1 }),
      queuedAt: fc.nat({ max: AGEING_MS * 2 }),
      notBeforeAt: fc.option(fc.nat({ max: AGEING_MS }), { nil: undefined, freq: 8 }),
    }),
    { minLength: 1, maxLength: 24 },
  )
  .chain((jobs) =>
    fc
      .shuffledSubarray(
        jobs.map((_, i) => i),
        { minLength: jobs.length },
      )
      .map((orders) => ({ jobs, orders })),
  )
  .map(({ jobs, orders }) =>
    jobs.map(
      ({ dependsOn, related, notBeforeAt, user, ...job }, i): AdmissionEntry => ({
        ...job,
        ...(user === undefined ? {} : { user }),
        id: `j${i}`,
        ticketId: `T${i}`,
        order: orders[i] ?? i,
        dependsOn: dependsOn.filter((d) => d < i).map((d) => `j${d}`),
        related: related.filter((r) => r < jobs.length && r !== i).map((r) => `j${r}`),
        state: 'queued',
        ...(notBeforeAt === undefined ? {} : { notBeforeAt }),
      }),
    ),
  );

function load(entries: readonly AdmissionEntry[], caps = CAPS): Admission {
  const admission = createAdmission({ caps });
  for (const entry of entries) admission.add(entry);
  return admission;
}

/** The rule in the plainest words: no tree, no closure but what dependencies say. */
function conflict(a: AdmissionEntry, b: AdmissionEntry): boolean {
  if (a.repoId !== b.repoId) return false;
  const linked = a.dependsOn.includes(b.id) || b.dependsOn.includes(a.id);
  const related = a.related.includes(b.id) || b.related.includes(a.id);
  return linked || related || claimsOverlap(a.claim, b.claim) !== undefined;
}

function expectNoConflicts(entries: readonly AdmissionEntry[], running: ReadonlySet<string>): void {
  const active = entries.filter((entry) => running.has(entry.id));
  expect(active.length).toBeLessThanOrEqual(CAPS.machine);
  for (const one of active) {
    expect(active.filter((each) => each.repoId === one.repoId).length).toBeLessThanOrEqual(
      limitOf(one.repoId),
    );
    if (one.user === undefined) continue;
    expect(active.filter((each) => each.user === one.user).length).toBeLessThanOrEqual(CAPS.user);
  }
  for (const [i, a] of active.entries())
    for (const b of active.slice(i + 1)) expect(conflict(a, b)).toBe(false);
}

describe('admission, for any queue', () => {
  it('never runs two jobs that conflict, gets everybody through, and gives the same answers by either way', () => {
    fc.assert(
      fc.property(queue, fc.infiniteStream(fc.nat()), (entries, choices) => {
        const admission = load(entries);
        const states = new Map(entries.map((entry) => [entry.id, entry.state]));
        const running = new Set<string>();
        const merged: string[] = [];
        let nowMs = AGEING_MS;
        let decision = admission.pass(nowMs);
        for (let step = 0; step < entries.length * 4 && merged.length < entries.length; step += 1) {
          for (const id of decision.start) {
            const entry = entries.find((each) => each.id === id) as AdmissionEntry;
            for (const dependency of entry.dependsOn) expect(merged).toContain(dependency);
            running.add(id);
            states.set(id, 'running');
          }
          expectNoConflicts(entries, running);
          expect(decision.held.size).toBe(0);

          const afresh = load(
            entries.map((entry) => ({ ...entry, state: states.get(entry.id) ?? entry.state })),
          );
          const full = afresh.pass(nowMs);
          expect(full.start).toEqual([]);
          expect(admission.order()).toEqual(afresh.order());
          for (const [id, cause] of decision.waiting) expect(full.waiting.get(id)).toEqual(cause);
          for (const { id } of entries)
            if (states.get(id) === 'queued') expect(full.waiting.get(id)).toBeDefined();

          const [ending] = [...running].sort().slice((choices.next().value ?? 0) % Math.max(1, running.size));
          if (ending === undefined) {
            // Nobody runs, so all that is left waits for time alone.
            if (merged.length < entries.length) expect(decision.nextChangeAt).toBeGreaterThan(nowMs);
            nowMs = decision.nextChangeAt ?? nowMs;
            decision = admission.pass(nowMs);
            continue;
          }
          running.delete(ending);
          merged.push(ending);
          states.set(ending, 'merged');
          decision = admission.end(ending, 'merged', nowMs);
        }
        expect(merged.length).toBe(entries.length);
      }),
      { numRuns: 120 },
    );
  });

  it('leaves nothing waiting that could run: each cause names what really is in the way', () => {
    fc.assert(
      fc.property(queue, (entries) => {
        const admission = load(entries);
        const nowMs = AGEING_MS;
        const { start, waiting } = admission.pass(nowMs);
        const order = admission.order();
        const byId = new Map(entries.map((entry) => [entry.id, entry]));
        const runningIn = (repoId: string): number =>
          start.filter((id) => byId.get(id)?.repoId === repoId).length;
        expect([...start, ...order].sort()).toEqual(entries.map((entry) => entry.id).sort());
        expect([...waiting.keys()].sort()).toEqual([...order].sort());
        for (const [id, cause] of waiting) {
          const entry = byId.get(id) as AdmissionEntry;
          switch (cause.code) {
            case 'depends-on':
              expect(entry.dependsOn).toContain(cause.jobId);
              break;
            case 'backoff':
              expect(entry.notBeforeAt).toBeGreaterThan(nowMs);
              break;
            case 'cap':
              expect(cause.limit).toBe(
                { machine: CAPS.machine, repository: limitOf(entry.repoId), user: CAPS.user }[cause.scope],
              );
              expect(
                {
                  machine: start.length,
                  repository: runningIn(entry.repoId),
                  user: start.filter((each) => byId.get(each)?.user === entry.user).length,
                }[cause.scope],
              ).toBeGreaterThanOrEqual(cause.limit);
              break;
            case 'related':
            case 'path-conflict':
            case 'touches-everything': {
              expect(conflict(entry, byId.get(cause.jobId) as AdmissionEntry)).toBe(true);
              expect(cause.running).toBe(start.includes(cause.jobId));
              if (!cause.running) expect(order.indexOf(cause.jobId)).toBeLessThan(order.indexOf(id));
              break;
            }
            default:
              expect.unreachable(cause.code);
          }
        }
      }),
      { numRuns: 120 },
    );
  });

  it('answers the same for the same input, in whatever order the jobs came in', () => {
    fc.assert(
      fc.property(queue, fc.nat(), (entries, turn) => {
        const nowMs = AGEING_MS;
        const at = turn % entries.length;
        const first = load(entries).pass(nowMs);
        const second = load([...entries.slice(at), ...entries.slice(0, at)]).pass(nowMs);
        expect(second.start).toEqual(first.start);
        expect(Object.fromEntries(second.waiting)).toEqual(Object.fromEntries(first.waiting));
      }),
      { numRuns: 80 },
    );
  });

  it('gets whole-repository and background jobs through while new ones keep coming', () => {
    const admission = createAdmission({ caps: { machine: 2, repository: 2 } });
    const entry = (id: string, order: number, over: Partial<AdmissionEntry>): AdmissionEntry => ({
      ...{ id, ticketId: id, repoId: 'r', claim: toClaim([`src/${id}`], { root: '/r', from: 'declared' }) },
      ...{
        priority: 'interactive',
        order,
        dependsOn: [],
        related: [],
        state: 'queued',
        queuedAt: 0,
        ...over,
      },
    });
    admission.add(entry('whole', 0, { claim: { kind: 'everything', why: 'none' }, priority: 'background' }));
    const running: string[] = [];
    let nowMs = 0;
    for (let i = 1; i < 500 && !running.includes('whole'); i += 1) {
      nowMs += AGEING_MS / 20;
      admission.add(entry(`n${i}`, i, { queuedAt: nowMs }));
      running.push(...admission.pass(nowMs).start);
      const ending = running.shift();
      if (ending) running.push(...admission.end(ending, 'merged', nowMs).start);
    }
    expect(running).toContain('whole');
    expect(nowMs).toBeLessThanOrEqual(AGEING_MS * 2.2);
  });
});
