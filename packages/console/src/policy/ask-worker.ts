/** Sends questions to the policy worker. The worker is started at the first question. */
import type { AnswerTo, Asked } from './messages.ts';
import workerUrl from './policy-worker.ts?worker&url';

type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void };

let worker: Worker | null = null;
const waiting = new Map<number, Waiting>();
let asked = 0;

export function askWorker<One extends Asked>(question: One): Promise<AnswerTo<One>> {
  worker ??= start();
  const id = ++asked;
  const answered = new Promise<AnswerTo<One>>((resolve, reject) => waiting.set(id, { resolve, reject }));
  worker.postMessage({ id, asked: question });
  return answered;
}

type Scripts = { createScriptURL(url: string): string };
declare const trustedTypes:
  | { createPolicy(name: string, rules: Scripts): { createScriptURL(url: string): string } }
  | undefined;

/** The security policy of the pages allows this address for a worker, and no other. */
function start(): Worker {
  const rules: Scripts = {
    createScriptURL(url) {
      if (url === workerUrl) return url;
      throw new TypeError('this is not the worker of the console');
    },
  };
  const policy = typeof trustedTypes === 'undefined' ? rules : trustedTypes.createPolicy('mandate', rules);
  const started = new Worker(policy.createScriptURL(workerUrl), { type: 'module' });
  started.onmessage = ({ data: { id, answer, fault } }) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (fault === undefined) one?.resolve(answer as never);
    else one?.reject(new Error(fault));
  };
  started.onerror = ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(`the policy worker ended: ${message}`));
    waiting.clear();
    worker = null;
  };
  return started;
}
