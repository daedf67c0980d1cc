/** The port of the model: one governed call, without a retry. */
/** The person that the main agent acts for. */
export type Person = { id: string; role?: string };

export type ModelCall = {
  systemPrompt: string;
  userPrompt: string;
  /** The JSON Schema of the answer. */
  answerSchema: Readonly<Record<string, unknown>>;
  /** The action of the main call, if there is one. */
  parentActionId?: string | undefined;
  principal?: Person | undefined;
  /** Aborts the call. */
  signal: AbortSignal;
  /** Is called with the id of the action as soon as there is a decision about it. */
  onAction(actionId: string): void;
};

/** The result of the call. Errors of a model are results, not exceptions. */
export type ModelAnswer =
  | {
      outcome: 'answered';
      text: string;
      /** Why the model stopped, in the words of the provider. */
      stop?: string | undefined;
    }
  /** The plane refused the call, or wants to ask a person. `code` is the code of the decision. */
  | { outcome: 'blocked'; code: string }
  /** There is no decision, so no call was made. */
  | { outcome: 'undecided' }
  /** `status`: the HTTP status, or null if there was no answer. */
  | { outcome: 'failed'; status: number | null }
  | { outcome: 'cancelled' };

export type BuilderModel = {
  /** The agent that makes the call. Its mandate decides. */
  readonly agentId: string;
  readonly provider: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly temperature: number | null;
  ask(call: ModelCall): Promise<ModelAnswer>;
};
