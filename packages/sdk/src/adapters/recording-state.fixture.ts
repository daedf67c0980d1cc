/** A state that keeps its decisions, so that a test can read them and answer their questions. */
import type { Decision } from '@mandate/schemas';
import { MemoryStateManager } from '../state.ts';

export class RecordingState extends MemoryStateManager {
  readonly decisions: Decision[] = [];

  override decided(decision: Decision): void {
    super.decided(decision);
    this.decisions.push(decision);
  }

  get codes(): string[] {
    return this.decisions.map(({ code }) => code);
  }

  /** Answers the latest question, as a person would. */
  async answer(answer: 'granted' | 'denied'): Promise<void> {
    const asked = this.decisions.findLast(({ verdict }) => verdict === 'DEFER');
    if (asked === undefined) throw new Error('nothing was asked');
    const { tenant, agentId, actionId, digest } = asked;
    const expiresAtMs = this.clock() + 60_000;
    const approval = { id: `a_${actionId}`, by: 'op', reason: 'fine', answer, expiresAtMs };
    await this.ledger.approve({ ...approval, tenant, agentId, actionId, digest });
  }
}
