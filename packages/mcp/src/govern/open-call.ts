/**
 * An allowed call, from the time when it is forwarded to its outcome. It ends with the answer of the server, with a
 * stop by Mandate, or without an answer. Only an answer is an outcome. Without an answer, the effect of the call is
 * unknown, so its reservation stays charged when its lease ends.
 */

import { membersOf, replaceSpans } from '@mandate/schemas/json-spans';
import type { RunningAction } from '@mandate/sdk/plane';
import { fieldsOf } from '../messages/fields-of.ts';
import type { Request, Response } from '../messages/read-message.ts';
import type { Seal } from './sealed-state.ts';
import type { GovernedMethod } from './subjects.ts';

export type OpenCall = {
  /** The id of the call within this proxy. */
  readonly callId: string;
  readonly digest: string;
  readonly method: GovernedMethod;
  readonly running: RunningAction;
  /** True if the policy has added defaults to the arguments. */
  readonly fillsIn: boolean;
  /** True if a repeated call has no further effect. */
  readonly mayRepeat: boolean;
  /** The length of the request in UTF-16 units: roughly the memory that the call uses. */
  readonly units: number;
  /** True after the server asked for input, or received the call twice. The call may then have had an effect. */
  hasBegun: boolean;
};

/** The meaning of the server's answer for the call. `text`: the message for the client. */
export type Answered =
  | { kind: 'done'; text: string }
  /** The server needs input of the client. The client makes the call again, with a new id. */
  | { kind: 'needs-input'; text: string }
  /** The work continues as a task. */
  | { kind: 'task'; text: string; taskId: string };

/** Reads the answer of the server, and settles the call if the answer is its outcome. */
export function readAnswer(call: OpenCall, response: Response, seal: Seal): Answered {
  const { text, result } = response;
  const value = fieldsOf(result?.value);
  if (result !== null && !response.isError) {
    if (value.resultType === 'input_required')
      return {
        kind: 'needs-input',
        text: withState(text, result.span.start, value.requestState, call, seal),
      };
    const taskId = taskIdOf(value);
    if (taskId !== null) return { kind: 'task', text, taskId };
  }
  const isFailure = response.isError || value.isError === true;
  void call.running.settle({ status: isFailure ? 'failure' : 'success' });
  return { kind: 'done', text };
}

/**
 * Returns the frame that goes to the server: the original request with two changes. If the policy has filled in
 * defaults, the frame has the decided arguments. And it has the state of the server instead of the sealed state.
 *
 * @param serverState undefined: the request has no sealed state
 */
export function frameOf(
  request: Request,
  { running, fillsIn, method }: Pick<OpenCall, 'running' | 'fillsIn' | 'method'>,
  serverState: { state: string | undefined } | undefined,
): string {
  const { text, params } = request;
  const edits: { start: number; end: number; by: string }[] = [];
  if (fillsIn && method === 'tools/call') {
    const written = JSON.stringify(running.args);
    const args = params.members.find(({ key }) => key === 'arguments');
    if (args !== undefined) edits.push({ start: args.start, end: args.end, by: written });
    else {
      const name = params.members.find(({ key }) => key === 'name');
      if (name !== undefined)
        edits.push({ start: name.keyStart, end: name.keyStart, by: `"arguments":${written},` });
    }
  }
  if (serverState !== undefined) {
    const member = params.members.find(({ key }) => key === 'requestState');
    const { state } = serverState;
    if (member !== undefined)
      edits.push(
        state === undefined
          ? withoutMember(params.members, member)
          : { start: member.start, end: member.end, by: JSON.stringify(state) },
      );
  }
  return replaceSpans(text, edits);
}

type Edit = { start: number; end: number; by: string };

/** Removes a member together with the comma beside it. */
function withoutMember(
  members: Request['params']['members'],
  member: Request['params']['members'][number],
): Edit {
  const at = members.indexOf(member);
  const next = members[at + 1];
  if (next !== undefined) return { start: member.keyStart, end: next.keyStart, by: '' };
  const before = members[at - 1];
  return { start: before === undefined ? member.keyStart : before.end, end: member.end, by: '' };
}

function withState(text: string, at: number, state: unknown, call: OpenCall, seal: Seal): string {
  const sealed = JSON.stringify(
    seal.seal({ callId: call.callId, ...(typeof state === 'string' && { server: state }) }, call.digest),
  );
  const members = membersOf(text, at) ?? [];
  const member = members.find(({ key }) => key === 'requestState');
  if (member !== undefined) return replaceSpans(text, [{ start: member.start, end: member.end, by: sealed }]);
  const first = members[0];
  if (first === undefined) return text;
  return replaceSpans(text, [
    { start: first.keyStart, end: first.keyStart, by: `"requestState":${sealed},` },
  ]);
}

/** The two eras name a task in different places. */
function taskIdOf(result: Readonly<Record<string, unknown>>): string | null {
  const nested = fieldsOf(result.task).taskId;
  const own = result.resultType === 'task' ? result.taskId : undefined;
  const taskId = nested ?? own;
  return typeof taskId === 'string' ? taskId : null;
}
