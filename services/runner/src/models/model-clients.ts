/** The models of the providers, with one interface for all protocols. */
import type { Agent } from '@mandate/sdk/plane';
import type { ModelStop, ToolCallOfModel } from '../agent-step/call-event.ts';
import type { JsonSchema } from '../agent-step/step.ts';

export type ModelClients = {
  /** Returns the provider of a model: the stated provider, or that of the price list. Null: none is configured. */
  providerOf(model: string, stated: string | null): string | null;
  /** How long one attempt of a call may take. */
  timeoutMsOf(provider: string): number;
  /**
   * Makes one call of a model.
   *
   * @throws MandateBlockedError, MandateDeferredError, ModelFailed, or the reason of the signal
   */
  call(request: ModelRequest): Promise<ModelReply>;
};

export type ModelRequest = {
  provider: string;
  model: string;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly OfferedTool[];
  /** An estimate for the reservation. */
  inputTokens: number;
  maxOutputTokens: number;
  /** Starts the call under the mandate of the agent. */
  agent: Agent;
  signal: AbortSignal;
  /** Is called with the text while it arrives. Absent: the text is not streamed. */
  onText?: ((text: string) => void) | undefined;
};

export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'model'; text: string; toolCalls: readonly { id: string; name: string; args: object }[] }
  | { role: 'tools'; results: readonly { id: string; text: string; isError: boolean }[] };

/** `name`: 1 to 64 letters, digits, `_` and `-`. */
export type OfferedTool = { name: string; description: string; parameters: JsonSchema };

/** In `toolCalls`, each tool has the name under which it was offered. */
export type ModelReply = { text: string; toolCalls: readonly ToolCallOfModel[]; stop: ModelStop };
