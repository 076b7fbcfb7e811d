import type { Cause } from '../../shared/cause.ts';
import { selectJob } from '../state/ui-store.ts';
import { safeTarget } from '../terminals/links.ts';
import { LinkButton } from '../ui/button.tsx';
import { causeParts } from './cause-parts.ts';

type Props = {
  cause: Cause;
  inRow?: boolean;
  /** Shows where a web link leads; without it, one is plain text. */
  onLink?: (target: string) => void;
};

/** Why a job is where it is; what holds it is a link: a job is selected by it, a web page is shown and then opened. */
export function CauseText({ cause, inRow, onLink }: Props) {
  return causeParts(cause).map((part) => {
    if (part.kind === 'job') {
      return (
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
      );
    }
    const target = part.kind === 'link' && onLink ? safeTarget(part.text) : undefined;
    return target === undefined ? (
      <span key={part.text}>{part.text}</span>
    ) : (
      <LinkButton key={part.text} onClick={() => onLink?.(target)}>
        {part.text}
      </LinkButton>
    );
  });
}
