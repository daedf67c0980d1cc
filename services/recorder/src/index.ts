/** The exports for a plane and for tests. app.ts describes the recorder. */
export { type Recorder, type RecorderOptions, startRecorder } from './app.ts';
export { recorderConfig, recorderSettings } from './config.ts';
export type { KeepMonths } from './keep-retention.ts';
export { openRecorder } from './open-recorder.ts';
