import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CirclePause,
  CircleX,
  type LucideIcon,
  OctagonAlert,
  RefreshCw,
  ShieldAlert,
  ShieldQuestion,
  TriangleAlert,
} from 'lucide-react';
import type { Job, SlotState, Verdict } from '../../shared/domain.ts';
import { classes } from './classes.ts';
import styles from './state-mark.module.css';

type Tone = Verdict | 'accent';
type Mark = { icon: LucideIcon; tone: Tone; word: string };

const VERDICT_MARKS: Record<Verdict, Mark> = {
  green: { icon: CircleCheck, tone: 'green', word: 'green' },
  red: { icon: CircleX, tone: 'red', word: 'red' },
  broken: { icon: OctagonAlert, tone: 'broken', word: 'broken' },
  ungated: { icon: ShieldQuestion, tone: 'ungated', word: 'ungated' },
  vacuous: { icon: TriangleAlert, tone: 'vacuous', word: 'vacuous' },
  tampered: { icon: ShieldAlert, tone: 'tampered', word: 'tampered' },
};

const JOB_MARKS: Record<Job['state'], Mark> = {
  queued: { icon: CircleDashed, tone: 'ungated', word: 'waiting' },
  running: { icon: CircleDot, tone: 'accent', word: 'running' },
  held: { icon: CirclePause, tone: 'vacuous', word: 'needs you' },
  merged: { icon: CircleCheck, tone: 'green', word: 'merged' },
  failed: { icon: CircleX, tone: 'red', word: 'failed' },
  cancelled: { icon: Ban, tone: 'ungated', word: 'cancelled' },
};

const SLOT_MARKS: Record<SlotState, Mark> = {
  cold: { icon: CircleDashed, tone: 'ungated', word: 'cold' },
  warming: { icon: RefreshCw, tone: 'vacuous', word: 'warming' },
  ready: { icon: Circle, tone: 'green', word: 'ready' },
  claimed: { icon: CircleDot, tone: 'accent', word: 'claimed' },
  resetting: { icon: RefreshCw, tone: 'vacuous', word: 'resetting' },
  quarantined: { icon: OctagonAlert, tone: 'red', word: 'quarantined' },
};

/** A shape, a colour and, unless `bare`, a word; a bare mark still has its word for screen readers. */
function StateMark({ mark, bare }: { mark: Mark; bare: boolean | undefined }) {
  const Icon = mark.icon;
  return (
    <span className={classes(styles.mark, styles[mark.tone])} title={bare ? mark.word : undefined}>
      <Icon size={14} aria-hidden />
      <span className={bare ? 'visually-hidden' : undefined}>{mark.word}</span>
    </span>
  );
}

export function JobMark({ job, bare }: { job: Job; bare?: boolean }) {
  return <StateMark mark={JOB_MARKS[job.state]} bare={bare} />;
}

export function VerdictMark({ verdict, bare }: { verdict: Verdict; bare?: boolean }) {
  return <StateMark mark={VERDICT_MARKS[verdict]} bare={bare} />;
}

export function SlotMark({ state, bare }: { state: SlotState; bare?: boolean }) {
  return <StateMark mark={SLOT_MARKS[state]} bare={bare} />;
}
