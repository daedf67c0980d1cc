/** The differences between two texts, line by line. */
import { type DiffLine, lineDiff } from '../data/line-diff.ts';
import styles from './parts.module.css';
import { Empty } from './problem.tsx';

const LOOKS = {
  same: { sign: ' ', word: '', look: '' },
  added: { sign: '+', word: 'added: ', look: styles.added },
  removed: { sign: '−', word: 'removed: ', look: styles.removed },
} as const;

/**
 * The lines that differ. The sign and the colour of a line mean the same. A screen reader reads a word instead.
 *
 * @param same the text if nothing differs
 */
export function Lines({ before, after, same }: { before: string; after: string; same: string }) {
  const parts = lineDiff(before, after);
  if (parts.length === 0) return <Empty>{same}</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: lines that are too long must be scrolled by the keyboard too
    <section className={styles.diff} aria-label="Changed lines" tabIndex={0}>
      {parts.map((part, at) =>
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
