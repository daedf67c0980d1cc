export type LintFinding = {
  code:
    | 'RULE_UNREADABLE'
    | 'POLICY_MISSING'
    | 'NOTHING_IN_COMMON'
    | 'PARENT_MISSING'
    | 'PARENT_HOLDS_NOTHING'
    | 'TOOLS_HANDED_ON'
    | 'NOTHING_TO_HAND_ON'
    | 'RULE_ENDED'
    | 'RULE_MATCHES_NOBODY'
    | 'RULE_CONTRADICTS_ITSELF'
    | 'RULE_ADDS_NOTHING'
    | 'RULE_GIVES_BY_CLAIM'
    | 'TOOL_NEVER_AFFORDED'
    | 'LIMIT_WITHOUT_EFFECT'
    | 'POLICY_UNUSED'
    | 'PATTERN_MATCHES_NOTHING'
    | 'PATTERN_UNANCHORED'
    | 'PATTERN_DOUBTFUL'
    | 'ENTRY_REPEATED'
    | 'TOOL_NAMES_UNCONFIRMED'
    | 'NAMES_ALIKE'
    | 'CAP_BELOW_PRICE';
  /** An error blocks actions that the author may have meant to allow. A warning blocks nothing. */
  severity: 'error' | 'warning';
  rules: readonly string[];
  policies: readonly string[];
  message: string;
  remedy: string;
};

export type Finding = Omit<LintFinding, 'rules' | 'policies'> &
  Partial<Pick<LintFinding, 'rules' | 'policies'>>;
