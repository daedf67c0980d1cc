import type { DatabaseSync } from 'node:sqlite';
import type { GroupPosition } from '../port.ts';

/**
 * A member of a group in its own description. `id` is new at every join, so a fenced member cannot return under its
 * old id.
 */
export type Member = {
  id: string;
  group: string;
  topics: readonly string[];
  sessionTimeoutMs: number;
  /** The identity of the member's process: see process-identity.ts. */
  process: string;
};

export type PositionRow = {
  partitionId: number;
  topic: string;
  nextOffset: number;
  owner: string | null;
  epoch: number;
};

/**
 * Reads and writes the rows of consumer groups. Each method is one statement, without rules. membership.ts has the
 * rules.
 */
export class GroupRows {
  readonly #sql: Record<keyof typeof SQL, ReturnType<DatabaseSync['prepare']>>;

  constructor(db: DatabaseSync) {
    this.#sql = {
      addMember: db.prepare(SQL.addMember),
      removeMember: db.prepare(SQL.removeMember),
      subscribe: db.prepare(SQL.subscribe),
      touch: db.prepare(SQL.touch),
      members: db.prepare(SQL.members),
      silent: db.prepare(SQL.silent),
      addPosition: db.prepare(SQL.addPosition),
      positions: db.prepare(SQL.positions),
      positionsOfAll: db.prepare(SQL.positionsOfAll),
      claim: db.prepare(SQL.claim),
      release: db.prepare(SQL.release),
      releaseAll: db.prepare(SQL.releaseAll),
      owns: db.prepare(SQL.owns),
      commit: db.prepare(SQL.commit),
      bump: db.prepare(SQL.bump),
      generation: db.prepare(SQL.generation),
    };
  }

  addMember({ group, id, topics, sessionTimeoutMs, process }: Member, nowMs: number): void {
    this.#sql.addMember.run(group, id, JSON.stringify(topics), nowMs, sessionTimeoutMs, process);
  }

  removeMember(group: string, id: string): void {
    this.#sql.removeMember.run(group, id);
    this.#sql.releaseAll.run(group, id);
  }

  subscribe(group: string, id: string, topics: readonly string[]): void {
    this.#sql.subscribe.run(JSON.stringify(topics), group, id);
  }

  /** Records a heartbeat. False if the group no longer has the member. */
  touch(group: string, id: string, nowMs: number): boolean {
    return this.#sql.touch.run(nowMs, group, id).changes === 1;
  }

  members(group: string): { member: string; topics: string[]; process: string }[] {
    return this.#sql.members.all(group).map((row) => ({
      member: String(row.member),
      topics: JSON.parse(String(row.topics)),
      process: String(row.process),
    }));
  }

  /**
   * Returns the members that sent no heartbeat within their session timeout, or that joined before the machine's last
   * start.
   */
  silent(group: string, nowMs: number): string[] {
    return this.#sql.silent.all(group, nowMs, nowMs).map((row) => String(row.member));
  }

  addPosition(group: string, partitionId: number, from: 'earliest' | 'latest'): void {
    this.#sql.addPosition.run(group, from, partitionId);
  }

  positions(group: string): PositionRow[] {
    return this.#sql.positions.all(group).map((row) => ({
      partitionId: Number(row.partition_id),
      topic: String(row.topic),
      nextOffset: Number(row.next_offset),
      owner: row.owner === null ? null : String(row.owner),
      epoch: Number(row.epoch),
    }));
  }

  positionsOfAll(prefix: string): GroupPosition[] {
    return this.#sql.positionsOfAll.all(prefix, prefix).map((row) => ({
      group: String(row.group_name),
      topic: String(row.topic),
      partition: Number(row.partition),
      nextOffset: Number(row.next_offset),
    }));
  }

  /** Claims the partition, and returns the new epoch. From now on, commits with an older epoch are refused. */
  claim(group: string, partitionId: number, owner: string): number {
    return Number(this.#sql.claim.get(owner, group, partitionId)?.epoch);
  }

  release(group: string, partitionId: number, owner: string, epoch: number): void {
    this.#sql.release.run(group, partitionId, owner, epoch);
  }

  owns(group: string, partitionId: number, owner: string, epoch: number): boolean {
    return this.#sql.owns.get(group, partitionId, owner, epoch) !== undefined;
  }

  /** Moves the position, but never back. False if the owner does not hold the partition under this epoch. */
  commit(group: string, partitionId: number, owner: string, epoch: number, nextOffset: number): boolean {
    return this.#sql.commit.run(nextOffset, group, partitionId, owner, epoch).changes === 1;
  }

  bump(group: string): void {
    this.#sql.bump.run(group);
  }

  generation(group: string): number {
    return Number(this.#sql.generation.get(group)?.generation ?? 0);
  }
}

const OWNED = 'group_name = ? AND partition_id = ? AND owner = ? AND epoch = ?';
const SQL = {
  addMember:
    'INSERT INTO members (group_name, member, topics, seen_ms, session_timeout_ms, process) VALUES (?, ?, ?, ?, ?, ?)',
  removeMember: 'DELETE FROM members WHERE group_name = ? AND member = ?',
  subscribe: 'UPDATE members SET topics = ? WHERE group_name = ? AND member = ?',
  touch: 'UPDATE members SET seen_ms = ? WHERE group_name = ? AND member = ?',
  members: 'SELECT member, topics, process FROM members WHERE group_name = ?',
  silent:
    'SELECT member FROM members WHERE group_name = ? AND (seen_ms + session_timeout_ms < ? OR seen_ms > ?)',
  addPosition: `INSERT OR IGNORE INTO positions (group_name, partition_id, next_offset)
    SELECT ?, id, CASE ? WHEN 'latest' THEN end_offset ELSE start_offset END FROM partitions WHERE id = ?`,
  positions: `SELECT partition_id, topic, next_offset, owner, epoch FROM positions
    JOIN partitions ON partitions.id = partition_id WHERE group_name = ? ORDER BY partition_id`,
  positionsOfAll: `SELECT group_name, topic, partition, next_offset FROM positions
    JOIN partitions ON partitions.id = partition_id WHERE substr(group_name, 1, length(?)) = ? ORDER BY group_name, partition_id`,
  claim:
    'UPDATE positions SET owner = ?, epoch = epoch + 1 WHERE group_name = ? AND partition_id = ? RETURNING epoch',
  release: `UPDATE positions SET owner = NULL WHERE ${OWNED}`,
  releaseAll: 'UPDATE positions SET owner = NULL WHERE group_name = ? AND owner = ?',
  owns: `SELECT 1 FROM positions WHERE ${OWNED}`,
  commit: `UPDATE positions SET next_offset = max(next_offset, ?) WHERE ${OWNED}`,
  bump: `INSERT INTO generations (group_name, generation) VALUES (?, 1)
    ON CONFLICT (group_name) DO UPDATE SET generation = generation + 1`,
  generation: 'SELECT generation FROM generations WHERE group_name = ?',
};
