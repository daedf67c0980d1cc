/** The functions that the contract of the frameworks needs for a mode of the SDK. */
import type { Mandate, MandateOptions } from '../../index.ts';
import type { MandateDocument } from '../../types.ts';

export type TestedAgent = {
  agentId: string;
  /** The options of an instance for this agent. Each instance has its own connections. */
  options: MandateOptions;
  /** Approves a question in another process. Local mode has no other process, and uses another instance. */
  approve(approvalId: string): Promise<void>;
};

type Team = { parent: TestedAgent; childId: string; delegate(mandate: Mandate): Mandate };

/** Puts a new agent under a mandate. */
type AgentUnder = (document: MandateDocument) => Promise<TestedAgent>;

/** A decision point that a test can break. */
export type FaultyPoint = {
  agentUnder: AgentUnder;
  injectFault(): Promise<void>;
  /** Called after the test. */
  restore(): Promise<void>;
};

export type TestedMode = {
  agentUnder: AgentUnder;
  /** Puts a new agent and its sub-agent under these mandates. */
  teamUnder(parent: MandateDocument, child: MandateDocument): Promise<Team>;
  /** The faults of the decision point while agents run. Each name is the end of a test title. */
  faults: Readonly<Record<string, () => Promise<FaultyPoint>>>;
};
