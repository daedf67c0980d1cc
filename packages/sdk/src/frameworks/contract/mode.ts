/** What a mode gives to the contract of the frameworks. */
import type { Mandate, MandateOptions } from '../../index.ts';
import type { MandateDocument } from '../../types.ts';

export type AgentOfMode = {
  agentId: string;
  /** The options of an instance for this agent. Each instance has its own connections. */
  options: MandateOptions;
  /** Approves a question in another process. Local mode has no other process, and uses another instance. */
  approve(approvalId: string): Promise<void>;
};

type Team = { parent: AgentOfMode; childId: string; delegate(mandate: Mandate): Mandate };

/** A decision point that a test breaks. */
export type Breakable = {
  agentUnder(document: MandateDocument): Promise<AgentOfMode>;
  strike(): Promise<void>;
  /** Called after the test. */
  restore(): Promise<void>;
};

export type Mode = {
  /** Puts a new agent under this mandate. */
  agentUnder(document: MandateDocument): Promise<AgentOfMode>;
  /** Puts a new agent and its sub-agent under these mandates. */
  teamUnder(parent: MandateDocument, child: MandateDocument): Promise<Team>;
  /** What may happen to the decision point while agents run, as the end of a title. */
  faults: Readonly<Record<string, () => Promise<Breakable>>>;
};
