import {
  Ban,
  Circle,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleHelp,
  CirclePause,
  CircleX,
  History,
  Info,
  type LucideIcon,
  Minus,
  OctagonAlert,
  RefreshCw,
  ShieldAlert,
  ShieldQuestion,
  TriangleAlert,
} from 'lucide-react';
import type { Finding as DoctorFinding } from '../../shared/doctor.ts';
import type { Job, SlotState, Verdict } from '../../shared/domain.ts';
import type { Finding, ProofCell } from '../../shared/gate-report.ts';
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

const SEVERITY_MARKS: Record<Finding['severity'], Mark> = {
  error: { icon: CircleX, tone: 'red', word: 'error' },
  warning: { icon: TriangleAlert, tone: 'vacuous', word: 'warning' },
  info: { icon: Info, tone: 'ungated', word: 'note' },
};

const PROOF_MARKS: Record<ProofCell['result'], Mark> = {
  caught: { icon: CircleCheck, tone: 'green', word: 'caught' },
  missed: { icon: CircleX, tone: 'red', word: 'missed' },
  'not-applicable': { icon: Minus, tone: 'ungated', word: 'not applicable' },
};

const FRESH_MARKS = {
  fresh: { icon: CircleCheck, tone: 'green', word: 'fresh' },
  stale: { icon: History, tone: 'vacuous', word: 'stale' },
} as const satisfies Record<string, Mark>;

const PLACE_MARKS: Record<DoctorFinding['status'], Mark> = {
  ok: { icon: CircleCheck, tone: 'green', word: 'ok' },
  problem: { icon: TriangleAlert, tone: 'vacuous', word: 'problem' },
  unknown: { icon: CircleHelp, tone: 'ungated', word: 'unknown' },
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

export function SeverityMark({ severity }: { severity: Finding['severity'] }) {
  return <StateMark mark={SEVERITY_MARKS[severity]} bare={undefined} />;
}

export function ProofMark({ result }: { result: ProofCell['result'] }) {
  return <StateMark mark={PROOF_MARKS[result]} bare={undefined} />;
}

export function FreshMark({ fresh }: { fresh: boolean }) {
  return <StateMark mark={FRESH_MARKS[fresh ? 'fresh' : 'stale']} bare={undefined} />;
}

export function PlaceMark({ status }: { status: DoctorFinding['status'] }) {
  return <StateMark mark={PLACE_MARKS[status]} bare={undefined} />;
}
