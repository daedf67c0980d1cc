/** Calls that continue as a task of the server. A call is settled when the status of its task is final. */
import { keepRecent } from '../keep-recent.ts';
import { fieldsOf } from '../messages/fields-of.ts';
import type { OpenCall } from './open-call.ts';

const MOST_TASKS = 1_000;
const DONE: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);

export class RunningTasks {
  readonly #calls = new Map<string, OpenCall>();

  add(taskId: string, call: OpenCall): void {
    keepRecent(this.#calls, taskId, call, MOST_TASKS);
  }

  /** Reads a status: the parameters of a notification, or the result of `tasks/get`. */
  noteStatus(status: unknown): void {
    const fields = fieldsOf(status);
    const { taskId, status: state } = { ...fields, ...fieldsOf(fields.task) };
    if (typeof taskId !== 'string' || !DONE.has(state)) return;
    // A cancelled task may have had its effect, so it counts as a failure.
    this.#settle(taskId, state === 'completed');
  }

  /** The answer to `tasks/result` is the result of the tool. */
  noteResult(taskId: string, result: unknown): void {
    this.#settle(taskId, fieldsOf(result).isError !== true);
  }

  #settle(taskId: string, isSuccess: boolean): void {
    const call = this.#calls.get(taskId);
    if (call === undefined) return;
    this.#calls.delete(taskId);
    void call.running.settle({ status: isSuccess ? 'success' : 'failure' });
  }
}
