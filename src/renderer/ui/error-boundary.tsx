import { Component, type ReactNode } from 'react';
import { toError } from '../../shared/errors.ts';
import { Button } from './button.tsx';
import styles from './error-boundary.module.css';

type Props = { children: ReactNode };
type State = { why: string | undefined };

/** A fault of one view says so and leaves the rest of the window, and the work behind it, alone. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { why: undefined };

  static getDerivedStateFromError(thrown: unknown): State {
    return { why: toError(thrown).message };
  }

  override render(): ReactNode {
    const { why } = this.state;
    if (why === undefined) return this.props.children;
    return (
      <div className={styles.fault} role="alert">
        <p>This view could not be shown: {why}</p>
        <p>Jobs run on; only the window is affected. Please report it.</p>
        <Button look="primary" onClick={() => location.reload()}>
          Reload the window
        </Button>
      </div>
    );
  }
}
