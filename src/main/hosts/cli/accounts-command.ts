import { HeadwayError } from '../../../shared/errors.ts';
import { formatMoment } from '../../../shared/time.ts';
import { EXIT } from './exit-codes.ts';
import { looking } from './looking.ts';
import { type Output, table } from './output.ts';

/** Lists the accounts that take no work now, each with when it does again and what was said. */
export function accountsCommand(output: Output): Promise<number> {
  return looking(async ({ parts }) => {
    const { accounts } = parts.jobPorts;
    await accounts.refresh();
    const paused = accounts.list();
    output.data({
      type: 'accounts',
      paused: paused.map(({ id, label, why, sinceAt, untilAt }) => ({ id, label, why, sinceAt, untilAt })),
    });
    output.say(
      paused.length === 0
        ? 'No account is paused.'
        : table(paused.map(({ id, untilAt, why }) => [id, `until ${formatMoment(untilAt)}`, why])),
    );
    return EXIT.ok;
  });
}

/** Ends a pause before its time, for instance after more credit was bought. */
export function resumeCommand(id: string, output: Output): Promise<number> {
  return looking(async ({ parts }) => {
    const { accounts } = parts.jobPorts;
    if (!(await accounts.resume(id))) {
      const paused = accounts.list().map((each) => each.id);
      const names = paused.length === 0 ? 'None is.' : `Paused are: ${paused.join(', ')}.`;
      throw new HeadwayError('not-found', `Account ${id} is not paused. ${names}`);
    }
    output.data({ type: 'resumed', account: id });
    output.say(`${id} takes work again.`);
    return EXIT.ok;
  });
}
