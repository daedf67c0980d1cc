import { describeWithChromium } from '@mandate/testing';
import { test } from 'vitest';
import { openScene } from './console-scene.ts';
import { lookAtEveryPage } from './every-page.ts';

describeWithChromium('the pages of the console in light', () => {
  test('have no fault of accessibility, and fit the window', async () => {
    await using scene = await openScene();
    await lookAtEveryPage(scene, { scheme: 'light' });
  });
});
