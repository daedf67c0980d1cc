/** The replies of the model in the runs of all frameworks. */
import type { ModelReply } from '@mandate/testing/model-server';
import type { RunSetup, Way } from './framework.ts';

/** Tokens that cost less than a cent, so that budgets in cents show the cost of tools only. */
const CHEAP = { inputTokens: 1, outputTokens: 1 };

export const DONE: ModelReply = { text: 'Done.' };

export function calling(name: string, args: object = {}, id?: string): ModelReply {
  return { toolCalls: [{ name, args, ...(id !== undefined && { id }) }] };
}

export const PAYING = calling('pay', { to: 'ann' }, 'call_pay');

/** Replies for a sub-agent that pays `times` times. Each call has its own id. */
export function paying(times: number): ModelReply[] {
  return Array.from({ length: times }, (_, at) => calling('pay', { to: `payee-${at}` }, `call_pay_${at}`));
}

/** Sets the replies of the model. The last reply repeats. */
export function scriptModel({ server, beforePay }: RunSetup, ...replies: readonly ModelReply[]): void {
  let at = 0;
  server.script(async () => {
    const reply = replies[Math.min(at, replies.length - 1)] ?? DONE;
    at += 1;
    if (reply.toolCalls?.some(({ name }) => name === 'pay')) await beforePay();
    return { usage: CHEAP, ...reply };
  });
}

/** Returns a way in which the model asks for one payment, and then says that it is done. */
export function payingOnce(run: Way): Way {
  return (setup) => {
    scriptModel(setup, PAYING, DONE);
    return run(setup);
  };
}
