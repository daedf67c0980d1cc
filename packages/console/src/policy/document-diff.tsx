/** What differs between two versions of a policy: the lines, what is newly allowed, and what is taken away. */
import type { PolicyDocument } from '@mandate/schemas';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import styles from '../parts/parts.module.css';
import { Empty, Problem } from '../parts/problem.tsx';
import { askWorker } from './ask-worker.ts';
import { type DiffLine, lineDiff, shortened } from './line-diff.ts';

export function DocumentDiff({ before, after }: { before: PolicyDocument; after: PolicyDocument }) {
  const { data, error } = useQuery({
    queryKey: ['compared', before, after],
    queryFn: () => askWorker({ kind: 'compare', before, after }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (earlier) => earlier,
  });
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <p role="status">Working it out …</p>;
  return (
    <div className="stack">
      <Effects widens={data.widens} narrows={data.narrows} />
      <Lines before={data.before} after={data.after} />
    </div>
  );
}

/** What a version newly allows, and what it takes away. */
export function Effects({ widens, narrows }: { widens: readonly string[]; narrows: readonly string[] }) {
  return (
    <div className="columns">
      <Effect heading="What it newly allows" lines={widens} />
      <Effect heading="What it takes away" lines={narrows} />
    </div>
  );
}

function Effect({ heading, lines }: { heading: string; lines: readonly string[] }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      {lines.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <ul className={styles.effects}>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

const LOOKS = {
  same: { sign: ' ', word: '', look: '' },
  added: { sign: '+', word: 'added: ', look: styles.added },
  removed: { sign: '−', word: 'removed: ', look: styles.removed },
} as const;

/** The signs and colours mean the same. People who see neither hear the word. */
function Lines({ before, after }: { before: string; after: string }) {
  const lines = lineDiff(before, after);
  if (lines.every(({ is }) => is === 'same')) return <Empty>The documents are equal.</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: lines that are too long must be scrolled by the keyboard too
    <section className={styles.diff} aria-label="Changed lines" tabIndex={0}>
      {shortened(lines).map((part, at) =>
        typeof part === 'number' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one comparison have no other name
          <div key={at} className="quiet">
            … {part} equal {part === 1 ? 'line' : 'lines'}
          </div>
        ) : (
          part.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal lines differ only by their place
            <Line key={`${at} ${index}`} {...line} />
          ))
        ),
      )}
    </section>
  );
}

function Line({ is, text }: DiffLine) {
  const { sign, word, look } = LOOKS[is];
  return (
    <div className={look}>
      <span aria-hidden="true">{sign} </span>
      {word !== '' && <span className="visually-hidden">{word}</span>}
      {text}
    </div>
  );
}
