import { z } from 'zod';
import { later } from './later.ts';

/** What `headway slots doctor` says about the place where slots lie. */

const STATUSES = ['ok', 'problem', 'unknown'] as const;

const findingSchema = later(() =>
  z.object({
    /** Stable; what `--fix` takes. */
    id: z.string(),
    title: z.string(),
    /** `unknown`: it could not be found out, and `found` says why. Never a guess. */
    status: z.enum(STATUSES),
    found: z.string(),
    /** What it costs as it is. */
    cost: z.string().optional(),
    /** What a person can do. */
    remedy: z.string().optional(),
    /** What Headway can start on a person's word. */
    fix: z
      .object({
        /** As a person would type it. */
        command: z.string(),
        /** Needs an administrator. */
        elevated: z.boolean(),
        /** False: Headway can't start it here, only show it. */
        startable: z.boolean(),
      })
      .optional(),
  }),
);
export type Finding = z.infer<typeof findingSchema>;

export const doctorReportSchema = later(() =>
  z.object({
    /** Real path of the directory that holds the slots. */
    root: z.string(),
    platform: z.string(),
    at: z.number(),
    findings: z.array(findingSchema),
    /** What came of the fix that was asked for; the findings are from after it. */
    fixed: z.object({ id: z.string(), done: z.boolean(), text: z.string() }).optional(),
  }),
);
export type DoctorReport = z.infer<typeof doctorReportSchema>;
