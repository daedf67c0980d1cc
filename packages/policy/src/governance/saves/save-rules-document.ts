/** The part of a policy that defines what is saved. Durations and conditions are parsed already. */
export interface SavesDocument {
  readonly triggers?: Readonly<
    Record<string, { readonly event: WriteEvent; readonly condition: TriggerCondition }>
  >;
  readonly save_rules?: Readonly<Record<string, SaveRuleFields>>;
  /** The decisions that hints of a model must not make. The default is all of them. */
  readonly llm_cannot?: readonly CannotDecide[];
  /** True if each principal reads only its own memories. Saves then name their owner. */
  readonly user_isolation: boolean;
}

export type WriteEvent = 'interaction_complete' | 'message_sent';
type TriggerCondition = 'system_evaluation' | 'pattern_match_permanent' | 'always' | 'never';
export type CannotDecide =
  | 'decide_is_memorable'
  | 'decide_scope'
  | 'decide_category'
  | 'block_save'
  | 'force_save';

export interface SaveRuleFields {
  readonly patterns?: readonly string[];
  readonly condition?: (lengths: Lengths) => boolean;
  /** `skip`, `save_to_<store>`, `save` or `summarize_and_save`. */
  readonly action: string;
  readonly store?: string;
  readonly ttlMs?: number;
  readonly priority?: number;
}

/** The lengths of the original texts, in characters. */
export interface Lengths {
  readonly messageLength: number;
  readonly responseLength: number;
}
