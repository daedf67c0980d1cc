/** An agent that uses the SDK. It asks the plane of the demo, under its own key. */
import { findMandateError, Mandate } from '@mandate/sdk/plane';
import type { OwnFunctions } from './own-functions.ts';

export type SdkAgent = {
  /** Calls a function if the plane allows it. Resolves to the result, or to what the model would read. */
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  /** Reports the outcomes that are not reported yet, and ends. */
  close(): Promise<void>;
};

export function createSdkAgent(
  options: { id: string; url: string; key: string },
  functions: Pick<OwnFunctions, 'call'>,
): SdkAgent {
  const mandate = new Mandate({ agentId: options.id, planeUrl: options.url, apiKey: options.key });
  const executor = mandate.createExecutor();
  return {
    async call(tool, args) {
      try {
        return await executor.run(tool, args, (decided) => functions.call(tool, decided));
      } catch (error) {
        const refusal = findMandateError(error);
        if (refusal === null) throw error;
        return refusal.message;
      }
    },
    close: () => mandate.close(),
  };
}
