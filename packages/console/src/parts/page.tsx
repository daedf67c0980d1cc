import { type ReactNode, useEffect } from 'react';
import { CopyAs, type SameView } from './copy.tsx';
import styles from './parts.module.css';

/**
 * A page: its heading, the question that it answers, and its actions.
 *
 * @param name the name in the title of the browser. Default: the heading
 */
export function Page({
  heading,
  name = heading,
  question,
  actions,
  same,
  children,
}: {
  heading: string;
  name?: string;
  question?: ReactNode;
  actions?: ReactNode;
  same?: SameView;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${name} · Mandate`;
  }, [name]);
  return (
    <div className="stack">
      <div className={styles.heading}>
        <div>
          <h1>{heading}</h1>
          {question !== undefined && <p className="quiet">{question}</p>}
        </div>
        <div className="row">
          {actions}
          {same !== undefined && <CopyAs {...same} />}
        </div>
      </div>
      {children}
    </div>
  );
}
