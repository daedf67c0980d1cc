import { dollars } from '../data/money.ts';
import { counted } from '../data/numbers.ts';
import styles from './parts.module.css';

/** An exact amount. Its tooltip has the micro-dollars. */
export function Money({ micros }: { micros: number }) {
  return (
    <span className={styles.money} title={`${counted(micros)} micro-dollars`}>
      {dollars(micros)}
    </span>
  );
}
