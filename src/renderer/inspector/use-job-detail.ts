import { useEffect, useState } from 'react';
import type { JobDetail, RequestResult } from '../../shared/contract.ts';
import type { Job } from '../../shared/domain.ts';
import { toError } from '../../shared/errors.ts';
import { engine } from '../state/engine.ts';

export type Loaded<T> =
  | { state: 'loading'; value?: T | undefined }
  | { state: 'ready'; value: T }
  | { state: 'failed'; why: string; value?: undefined };

/** Attempts and gates of a job, taken anew with each change of it; the last answer stays until the next is there. */
export function useJobDetail(job: Job): Loaded<JobDetail> {
  return useRequest(`${job.id}`, job.seq, () => engine().request('job.get', { jobId: job.id }));
}

const DIFF_LIMIT_BYTES = 400_000;

export function useJobDiff(job: Job, limitBytes = DIFF_LIMIT_BYTES): Loaded<RequestResult<'job.diff'>> {
  // The diff changes when the attempt's files do, not with every stage.
  return useRequest(`${job.id}:${job.commit ?? ''}:${job.files.join()}`, 0, () =>
    engine().request('job.diff', { jobId: job.id, limitBytes }),
  );
}

function useRequest<T>(key: string, version: number, request: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<{ key: string; result: Loaded<T> }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: key and version say what the request depends on
  useEffect(() => {
    let stale = false;
    request().then(
      (value) => {
        if (!stale) setLoaded({ key, result: { state: 'ready', value } });
      },
      (thrown: unknown) => {
        if (!stale) setLoaded({ key, result: { state: 'failed', why: toError(thrown).message } });
      },
    );
    return () => {
      stale = true;
    };
  }, [key, version]);
  return loaded?.key === key ? loaded.result : { state: 'loading' };
}
