import styles from './parts.module.css';

/** Each verdict has its own shape, so that people can distinguish verdicts without colour. */
const SHAPES = { ALLOW: '✓', BLOCK: '✕', DEFER: '?' } as const;
const TONES = { ALLOW: styles.allow, BLOCK: styles.block, DEFER: styles.defer } as const;

export function Verdict({ is }: { is: keyof typeof SHAPES }) {
  return (
    <span className={`${styles.verdict} ${TONES[is]}`}>
      <span aria-hidden="true">{SHAPES[is]}</span>
      {is}
    </span>
  );
}
