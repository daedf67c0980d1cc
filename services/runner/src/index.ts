/**
 * @mandate/runner: runs the workflows of agent manifests under governance. A run is a fold of its events on the log, so
 * any runner can continue it after any event. Before each step, and before each call of a model or a tool, a runner
 * requests a decision about the action, as every agent does. The decision is also the fence: if two runners request the
 * same action, only one is allowed.
 */
export { runnerSettings } from './config.ts';
export { openRunner } from './open-runner.ts';
export { openRunnerFile, type RunnerFile } from './runner-file.ts';
