import { dollars } from '../data/money.ts';
import styles from './parts.module.css';

/** An exact amount. Its tooltip has the micro-dollars. */
export function Money({ micros }: { micros: number }) {
  return (
    <span className={styles.money} title={`${micros.toLocaleString('en-US')} micro-dollars`}>
      {dollars(micros)}
    </span>
  );
}
