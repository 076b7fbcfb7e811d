import { useState } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import styles from './app.module.css';
import { Inspector } from './inspector/inspector.tsx';
import { PaneGrid } from './panes/pane-grid.tsx';
import { QueuePanel } from './queue/queue-panel.tsx';
import { useUi } from './state/ui-store.ts';

/** Below this the side columns start narrower, so that panes keep a readable width. */
const NARROW_PX = 1200;

/** Queue, panes, inspector; the borders are the person's and stay where they were put. */
export function RunView() {
  const inspectorOpen = useUi((state) => state.inspectorOpen && state.selectedJobId !== undefined);
  const maximised = useUi((state) => state.inspectorMaximised) && inspectorOpen;
  const [narrow] = useState(() => innerWidth < NARROW_PX);
  const panelIds = ['queue', ...(maximised ? [] : ['panes']), ...(inspectorOpen ? ['inspector'] : [])];
  const { defaultLayout, onLayoutChanged } = useDefaultLayout({
    id: narrow ? 'headway.columns.narrow' : 'headway.columns',
    panelIds,
    storage: localStorage,
    onlySaveAfterUserInteractions: true,
  });
  return (
    <Group
      orientation="horizontal"
      defaultLayout={defaultLayout}
      onLayoutChanged={onLayoutChanged}
      style={{ height: '100%' }}
    >
      <Panel
        id="queue"
        defaultSize={narrow ? 232 : 272}
        minSize={200}
        maxSize="45%"
        groupResizeBehavior="preserve-pixel-size"
      >
        <QueuePanel />
      </Panel>
      <Separator className={styles.separator} aria-label="Resize queue" />
      {!maximised && (
        <Panel id="panes" minSize={240}>
          <PaneGrid />
        </Panel>
      )}
      {maximised && (
        <Panel id="inspector" key="maximised" minSize={260}>
          <Inspector />
        </Panel>
      )}
      {inspectorOpen && !maximised && (
        <>
          <Separator className={styles.separator} aria-label="Resize inspector" />
          <Panel
            id="inspector"
            defaultSize={narrow ? 292 : 336}
            minSize={260}
            maxSize="60%"
            groupResizeBehavior="preserve-pixel-size"
          >
            <Inspector />
          </Panel>
        </>
      )}
    </Group>
  );
}
