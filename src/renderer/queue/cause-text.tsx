import type { Cause } from '../../shared/cause.ts';
import { selectJob } from '../state/ui-store.ts';
import { LinkButton } from '../ui/button.tsx';
import { causeParts } from './cause-parts.ts';

/** Why a job is where it is; what holds it is a link that selects it. */
export function CauseText({ cause, inRow }: { cause: Cause; inRow?: boolean }) {
  return causeParts(cause).map((part) =>
    part.kind === 'text' ? (
      <span key={part.text}>{part.text}</span>
    ) : (
      <LinkButton
        key={part.jobId}
        // Rows of the queue are one stop for the Tab key; their links are in the inspector too.
        tabIndex={inRow ? -1 : undefined}
        onClick={(event) => {
          event.stopPropagation();
          selectJob(part.jobId);
        }}
      >
        {part.text}
      </LinkButton>
    ),
  );
}
