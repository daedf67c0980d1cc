import type { Evaluated } from '@mandate/engine';
import { formatSum, sumMicros } from '@mandate/schemas';

export class EvaluationTally {
  readonly #verdicts = new Map<string, number>();
  #chargedMicros = 0n;
  #settlements = 0;
  records = 0;
  bad = 0;

  add(answer: Evaluated): void {
    this.records++;
    if (answer.event === 'dead.letter') {
      this.bad++;
    } else if (answer.event === 'action.settled') {
      this.#settlements++;
      this.#chargedMicros += BigInt(answer.settlement.deltaMicros);
    } else {
      const { verdict, code, chargedMicros } = answer.decision;
      const name = verdict === 'ALLOW' ? 'ALLOW' : `${verdict} ${code}`;
      this.#verdicts.set(name, (this.#verdicts.get(name) ?? 0) + 1);
      this.#chargedMicros += BigInt(chargedMicros);
    }
  }

  summary() {
    return {
      records: this.records,
      verdicts: Object.fromEntries(this.#verdicts),
      settlements: this.#settlements,
      bad: this.bad,
      chargedMicros: sumMicros(Number(this.#chargedMicros)),
    };
  }

  text(): string {
    const counts = [...this.#verdicts].sort(([, a], [, b]) => b - a);
    if (this.#settlements > 0) counts.push(['settlements', this.#settlements]);
    if (this.bad > 0) counts.push(['bad records (dead.letter)', this.bad]);
    const rows = counts.map(([name, count]) => `${String(count).padStart(8)}  ${name}\n`);
    return `${rows.join('')}charged ${formatSum(sumMicros(Number(this.#chargedMicros)))}\n`;
  }
}
