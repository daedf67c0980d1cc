/** The functions that the contract needs for a framework: every way in which the framework runs the tool `pay`. */
import type { ModelServer } from '@mandate/testing/model-server';
import type { Mandate } from '../../index.ts';

/** The input of one run of an agent. */
export type RunSetup = {
  mandate: Mandate;
  server: ModelServer;
  /** The work of the tool `pay`. It records who was paid. */
  pay(to: string): string;
  /** Ends the run. */
  signal: AbortSignal;
  /** The model waits for this promise before it calls `pay`. */
  beforePay(): Promise<void>;
};

/** One way in which a framework runs a tool. The promise settles when the run has ended. */
export type Way = (setup: RunSetup) => Promise<unknown>;

/** A way in which a framework runs a sub-agent. The sub-agent pays `times` times. */
type SubAgentWay = (setup: RunSetup, subAgent: SubAgent, times: number) => Promise<unknown>;

/** `view` is the result of `delegate` for the sub-agent. */
type SubAgent = { agentId: string; view: Mandate };

/** Runs until a person must approve the call. Returns a function with which another instance continues the run. */
type Suspend = (setup: RunSetup) => Promise<Way>;

export type Framework = {
  /** Every way to run the tool `pay` once. An abort of the run ends the wait for a decision. */
  ways: Readonly<Record<string, Way>>;
  /** Ways that give Mandate the signal of the run only when the tool starts. The wait for a decision goes on. */
  waysWithLateSignal?: Readonly<Record<string, Way>>;
  /** Ways that never give Mandate the signal of the run. Only the time limit of the mode ends the wait. */
  waysWithoutSignal?: Readonly<Record<string, Way>>;
  /** Absent if the framework cannot stop and resume a run. */
  suspend?: Suspend;
  subAgents: Readonly<Record<string, SubAgentWay>>;
};
