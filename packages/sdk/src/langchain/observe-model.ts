/**
 * Adds a signal and an observer to the calls of a model, because middleware of LangChain cannot change either of them.
 */
import { CallbackManager, type Callbacks } from '@langchain/core/callbacks/manager';
import type { LLMResult } from '@langchain/core/outputs';
import { replacing } from '../adapters/replace-methods.ts';

/** Sees what the provider delivered. */
export type ModelObserver = {
  name: string;
  awaitHandlers: true;
  handleLLMEnd(result: LLMResult): void;
  handleLLMNewToken(token: string): void;
};

type Config = { signal?: AbortSignal; callbacks?: Callbacks };

/**
 * Returns the model with the signal and the observer in each call. LangChain calls `bindTools` on the model of a
 * request, and then `invoke` on the result. A model that LangChain wraps in another way is returned unchanged.
 */
export function observeModel<M>(model: M, signal: AbortSignal, observer: ModelObserver): M {
  if (typeof model !== 'object' || model === null) return model;
  return replacing(model, {
    bindTools: (original) =>
      function bindTools(...given: unknown[]) {
        return observeInvoke(original(...given), signal, observer);
      },
    _getModelInstance: (original) =>
      async function getModelInstance(...given: unknown[]) {
        return observeModel(await original(...given), signal, observer);
      },
  });
}

function observeInvoke(bound: unknown, signal: AbortSignal, observer: ModelObserver): unknown {
  if (typeof bound !== 'object' || bound === null) return bound;
  return replacing(bound, {
    invoke: (original) =>
      function invoke(input: unknown, given: unknown) {
        const config: Config = given ?? {};
        const all = config.signal === undefined ? signal : AbortSignal.any([config.signal, signal]);
        return original(input, {
          ...config,
          signal: all,
          callbacks: withObserver(config.callbacks, observer),
        });
      },
  });
}

function withObserver(callbacks: Callbacks | undefined, observer: ModelObserver): Callbacks {
  if (callbacks === undefined || Array.isArray(callbacks)) return [...(callbacks ?? []), observer];
  const manager = callbacks.copy();
  for (const handler of CallbackManager.fromHandlers(observer).handlers) manager.addHandler(handler, false);
  return manager;
}
