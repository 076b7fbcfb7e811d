import styles from './file-list.module.css';

const SHOWN = 3;

type Props = { files: readonly string[]; label: string; count?: number };

/** Paths; more than a few are folded. `count`: how many there are, where `files` is cut. */
export function FileList({ files, label, count = files.length }: Props) {
  if (files.length === 0) return null;
  // One more line than the fold itself would take is no reason to fold.
  const folded = files.length > SHOWN + 1 ? files.slice(SHOWN) : [];
  const uncounted = count - files.length;
  return (
    <div className={styles.files}>
      <ul aria-label={label}>
        {files.slice(0, files.length - folded.length).map((file) => (
          <li key={file}>{file}</li>
        ))}
      </ul>
      {folded.length > 0 && (
        <details>
          <summary>{folded.length + uncounted} more</summary>
          <ul aria-label={`${label}, the rest`}>
            {folded.map((file) => (
              <li key={file}>{file}</li>
            ))}
            {uncounted > 0 && <li>and {uncounted} that are not listed</li>}
          </ul>
        </details>
      )}
    </div>
  );
}
