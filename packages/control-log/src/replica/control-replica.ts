/**
 * A copy of the control state for another thread of the same process. The copy applies the same records by the same
 * rule, so both are equal at the same revision. Long work uses the copy, so that requests are not delayed.
 */
import { createHash } from 'node:crypto';
import {
  type Changed,
  type ControlFold,
  type ControlPosition,
  controlDigest,
  foldControl,
  readControl,
  type TenantControl,
} from '@mandate/control';
import { type ControlRecord, readControlRecord } from '@mandate/schemas';

/** A record of the control topic, as the log contains it. */
export type ReplicaChange = { offset: number; value: Uint8Array };

/** The calls that feed a replica. Each call resolves when the replica has handled it. */
export type FedReplica = {
  /** Adds the next lines of a snapshot. */
  addLines(lines: readonly string[]): Promise<void>;
  /**
   * Builds the state from the lines added so far. Resolves to the log position of the last record in it, or to null
   * if the lines cannot be used.
   */
  restore(): Promise<ControlPosition | null>;
  apply(changes: readonly ReplicaChange[]): Promise<void>;
};

export type ControlReplica = FedReplica & {
  /** How many records of the topic the replica contains. */
  revision(): number;
  tenant(name: string): TenantControl;
  /** Returns why a new change would be refused as the next record. Null if it would take effect. */
  refusalOf(record: ControlRecord): Extract<Changed, { ok: false }> | null;
  /** Returns the state after a record that is not applied, or why it would be refused. Changes nothing. */
  tried(record: ControlRecord): ReturnType<ControlFold['tried']>;
  /** The digest of the whole control state. It is the same in every process at the same revision. */
  digest(): string;
};

export function controlReplica(): ControlReplica {
  let fold = foldControl();
  let revision = 0;
  let lines: string[] = [];
  return {
    async addLines(more) {
      lines.push(...more);
    },
    async restore() {
      const read = await readControl(lines, createHash('sha256'));
      lines = [];
      if (!read.ok) return null;
      fold = read.fold;
      revision = read.position.offset + 1;
      return read.position;
    },
    async apply(changes) {
      for (const { offset, value } of changes) {
        revision = offset + 1;
        fold.apply(readControlRecord(value), revision);
      }
    },
    revision: () => revision,
    tenant: (name) => fold.tenant(name),
    refusalOf: (record) => fold.refusalOf(record, revision + 1),
    tried: (record) => fold.tried(record, revision + 1),
    digest: () => controlDigest(fold, createHash('sha256')),
  };
}
