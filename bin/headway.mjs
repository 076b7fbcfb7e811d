#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isModernNode, root } from './modern-node.mjs';

if (isModernNode()) {
  // An installed copy comes built; a checkout builds itself when its sources have changed.
  if (existsSync(join(root, 'src'))) {
    const { ensureBuild } = await import('../scripts/ensure-build.mjs');
    await ensureBuild();
  }
  await import('../out/main/cli.js');
}
