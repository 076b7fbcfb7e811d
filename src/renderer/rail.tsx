import { ChartNoAxesColumn, Gauge, Layers, type LucideIcon, Play, Settings, ShieldCheck } from 'lucide-react';
import { Fragment } from 'react';
import { VIEW_TITLES } from './actions/action-list.ts';
import { KEYS, keyLabel } from './keys/key-map.ts';
import { isMac } from './keys/platform.ts';
import { NAMES } from './names.ts';
import styles from './rail.module.css';
import { showView, useUi, VIEWS, type View } from './state/ui-store.ts';

const ICONS: Record<View, LucideIcon> = {
  run: Play,
  slots: Layers,
  gate: ShieldCheck,
  ceiling: Gauge,
  report: ChartNoAxesColumn,
  settings: Settings,
};

export function Rail() {
  const present = useUi((state) => state.view);
  return (
    <nav className={styles.rail} aria-label={NAMES.views}>
      {VIEWS.map((view) => {
        const Icon = ICONS[view];
        return (
          <Fragment key={view}>
            {view === 'settings' && <span className={styles.space} />}
            <button
              type="button"
              aria-current={view === present ? 'page' : undefined}
              title={keyLabel(KEYS[`view.${view}`], isMac())}
              onClick={() => showView(view)}
            >
              <Icon size={18} strokeWidth={1.75} aria-hidden />
              {VIEW_TITLES[view]}
            </button>
          </Fragment>
        );
      })}
    </nav>
  );
}
