import type { ReactNode } from 'react';
import { ApiProblem } from '../data/api.ts';
import styles from './parts.module.css';

/** Why something could not be shown or done, and what to do about it. */
export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <div role="alert" className={styles.problem}>
      <strong>{problem?.code ?? 'FAULT'}</strong>: {problem?.message ?? String(error)}.
      {problem?.remedy !== undefined && problem.remedy !== '' && <p>{problem.remedy}</p>}
      {problem?.requestId != null && (
        <p className="quiet">
          Request <code>{problem.requestId}</code>
        </p>
      )}
      {problem?.code === 'SIGN_IN_AGAIN' && (
        <p>
          <a href="/sign-in?again=true" target="_blank" rel="noopener">
            Sign in again in another tab
          </a>
        </p>
      )}
      {retry !== undefined && (
        <p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className={styles.empty}>{children}</div>;
}

export function Loading({ what }: { what: string }) {
  return (
    <p className={styles.loading} role="status">
      Loading {what} …
    </p>
  );
}
