/** What a plane and tests import from the recorder. app.ts says what it does. */
export { type Recorder, type RecorderOptions, startRecorder } from './app.ts';
export { recorderConfig, recorderSettings } from './config.ts';
export type { KeepMonths } from './keep-retention.ts';
export { openRecorder } from './open-recorder.ts';
