/** A state that records its decisions, so that a test can read them and approve their questions. */
import type { Decision } from '@mandate/schemas';
import { ledgerApprovals } from '../approvals.ts';
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

  /** Grants the latest question, as a person would. */
  async grant(): Promise<void> {
    const approvalId = this.decisions.findLast(({ verdict }) => verdict === 'DEFER')?.approvalId;
    if (!approvalId) throw new Error('nothing was asked');
    await ledgerApprovals(() => this).approve(approvalId, { by: 'op', reason: 'fine' });
  }
}
