-- What costs an average session more in one version than in the one before, as replay fleet diff has it: class by class of
-- devices, added up by the share that each has in both versions together; the costliest 2 % of the sessions that have
-- something count as the next; corrected for the number of comparisons (Benjamini and Hochberg, 5 %). Left out is what is in
-- under 30 sessions, under 5 %, or under a microsecond. Between low_ns and high_ns lies how much more, with a confidence of 99 %.
WITH asked AS (SELECT '1.5' AS version_before, '1.6' AS version_after),
-- All whole sessions, with those that have nothing of a kind: these count as 0.
known AS (
  SELECT s.session_id AS session_id, coalesce(s.device_class, '') AS device_class, s.sampling_weight AS w,
    CASE WHEN s.app_version = asked.version_after THEN 1 ELSE 0 END AS is_after
  FROM sessions s CROSS JOIN asked
  WHERE s.app_version IN (asked.version_before, asked.version_after) AND s.log_state NOT IN ('torn', 'damaged', 'recording')
),
classes AS (
  SELECT device_class,
    sum(CASE WHEN is_after = 0 THEN 1 ELSE 0 END) AS n0, sum(CASE WHEN is_after = 1 THEN 1 ELSE 0 END) AS n1,
    sum(CASE WHEN is_after = 0 THEN w ELSE 0 END) AS w0, sum(CASE WHEN is_after = 1 THEN w ELSE 0 END) AS w1,
    sum(CASE WHEN is_after = 0 THEN w * w ELSE 0 END) AS ww0, sum(CASE WHEN is_after = 1 THEN w * w ELSE 0 END) AS ww1
  FROM known GROUP BY device_class
),
-- The classes that both versions have.
shares AS (
  SELECT device_class, n0, n1, w0, w1, ww0, ww1, (w0 + w1) / sum(w0 + w1) OVER () AS share
  FROM classes WHERE n0 >= 8 AND n1 >= 8
),
costs AS (
  SELECT session_id, 'write' AS role, path_kind AS kind, CAST(wasted_ns AS DOUBLE) AS cost_ns FROM paths
  UNION ALL
  SELECT session_id, 'projection' AS role, kind, CAST(total_ns AS DOUBLE) AS cost_ns FROM projections
  UNION ALL
  SELECT session_id, 'action' AS role, kind, CAST(total_ns AS DOUBLE) AS cost_ns FROM actions
),
-- What only one of the versions has is new or gone, and not worse.
common AS (
  SELECT c.role AS role, c.kind AS kind FROM costs c JOIN known k ON k.session_id = c.session_id
  GROUP BY c.role, c.kind HAVING min(k.is_after) = 0 AND max(k.is_after) = 1
),
placed AS (
  SELECT c.role AS role, c.kind AS kind, k.device_class AS device_class, k.is_after AS is_after, k.w AS w, c.cost_ns AS x,
    row_number() OVER (PARTITION BY c.role, c.kind, k.device_class ORDER BY c.cost_ns DESC) AS place,
    count(*) OVER (PARTITION BY c.role, c.kind, k.device_class) AS having_it
  FROM costs c
  JOIN known k ON k.session_id = c.session_id
  JOIN common b ON b.role = c.role AND b.kind = c.kind
  JOIN shares s ON s.device_class = k.device_class
),
cuts AS (
  SELECT role, kind, device_class, max(CASE WHEN place = floor(0.02 * having_it) + 1 THEN x ELSE 0 END) AS most
  FROM placed GROUP BY role, kind, device_class
),
sums AS (
  SELECT p.role AS role, p.kind AS kind, p.device_class AS device_class,
    sum(CASE WHEN is_after = 0 THEN 1 ELSE 0 END) AS h0, sum(CASE WHEN is_after = 1 THEN 1 ELSE 0 END) AS h1,
    sum(CASE WHEN is_after = 0 THEN w * least(x, most) ELSE 0 END) AS wx0,
    sum(CASE WHEN is_after = 1 THEN w * least(x, most) ELSE 0 END) AS wx1,
    sum(CASE WHEN is_after = 0 THEN w * w * least(x, most) ELSE 0 END) AS wwx0,
    sum(CASE WHEN is_after = 1 THEN w * w * least(x, most) ELSE 0 END) AS wwx1,
    sum(CASE WHEN is_after = 0 THEN w * w * least(x, most) * least(x, most) ELSE 0 END) AS wwxx0,
    sum(CASE WHEN is_after = 1 THEN w * w * least(x, most) * least(x, most) ELSE 0 END) AS wwxx1
  FROM placed p
  JOIN cuts c ON c.role = p.role AND c.kind = p.kind AND c.device_class = p.device_class
  GROUP BY p.role, p.kind, p.device_class
),
-- For every kind all classes, also those that have nothing of it.
means AS (
  SELECT b.role AS role, b.kind AS kind, s.device_class AS device_class, s.share AS share, s.n0 AS n0, s.n1 AS n1,
    s.w0 AS w0, s.w1 AS w1, s.ww0 AS ww0, s.ww1 AS ww1, coalesce(x.h0, 0) AS h0, coalesce(x.h1, 0) AS h1,
    coalesce(x.wx0, 0) / s.w0 AS mean0, coalesce(x.wx1, 0) / s.w1 AS mean1,
    (coalesce(x.wx0, 0) + coalesce(x.wx1, 0)) / (s.w0 + s.w1) AS mean01,
    coalesce(x.wwx0, 0) AS wwx0, coalesce(x.wwx1, 0) AS wwx1, coalesce(x.wwxx0, 0) AS wwxx0, coalesce(x.wwxx1, 0) AS wwxx1
  FROM common b CROSS JOIN shares s
  LEFT JOIN sums x ON x.role = b.role AND x.kind = b.kind AND x.device_class = s.device_class
),
-- The variance of a session: at least that of both versions together, since a few sessions of which none costs much by chance
-- have a low mean and a low variance.
spreads AS (
  SELECT role, kind, device_class, share, n0, n1, h0, h1, mean0, mean1, w0, w1, ww0, ww1,
    greatest(0.0, wwxx0 - 2 * mean0 * wwx0 + mean0 * mean0 * ww0) / ww0 AS own0,
    greatest(0.0, wwxx1 - 2 * mean1 * wwx1 + mean1 * mean1 * ww1) / ww1 AS own1,
    greatest(0.0, wwxx0 + wwxx1 - 2 * mean01 * (wwx0 + wwx1) + mean01 * mean01 * (ww0 + ww1)) / (ww0 + ww1) AS own01
  FROM means
),
variances AS (
  SELECT role, kind, device_class, share, n0, n1, h0, h1, mean0, mean1,
    greatest(own0, own01) * ww0 / (w0 * w0 - ww0) AS v0, w0 * w0 / ww0 - 1 AS f0,
    greatest(own1, own01) * ww1 / (w1 * w1 - ww1) AS v1, w1 * w1 / ww1 - 1 AS f1
  FROM spreads
),
-- A comparison for each class, and one for all.
compared AS (
  SELECT role, kind, device_class, 0 AS is_of_all, n0, n1, h0, h1, mean0 AS before_ns, mean1 AS after_ns, share, v0 + v1 AS v,
    v0 * v0 / f0 + v1 * v1 / f1 AS vv
  FROM variances WHERE (SELECT count(*) FROM shares) > 1
  UNION ALL
  SELECT role, kind, 'all' AS device_class, 1 AS is_of_all, sum(n0) AS n0, sum(n1) AS n1, sum(h0) AS h0, sum(h1) AS h1,
    sum(share * mean0) AS before_ns, sum(share * mean1) AS after_ns, 1.0 AS share, sum(share * share * (v0 + v1)) AS v,
    sum(share * share * share * share * (v0 * v0 / f0 + v1 * v1 / f1)) AS vv
  FROM variances GROUP BY role, kind
),
tested AS (
  SELECT role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, v * v / vv AS f,
    (8 * v * v / vv + 1) / (8 * v * v / vv + 3) AS scale,
    (after_ns - before_ns) * (after_ns - before_ns) / v AS tt
  FROM compared WHERE n0 >= 30 AND n1 >= 30 AND h0 + h1 >= 30 AND v > 0
),
-- Student's distribution by way of the normal one.
deviates AS (
  SELECT role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, f, v, scale,
    scale * sqrt(f * ln(1 + tt / f)) AS z
  FROM tested
),
tails AS (
  SELECT role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, f, v, scale, z, 1 / (1 + 0.2316419 * z) AS t
  FROM deviates
),
probable AS (
  SELECT role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, f, v, scale,
    0.7978845608028654 * exp(-z * z / 2)
      * t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))) AS p
  FROM tails
),
ranked AS (
  SELECT role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, f, v, scale, p,
    row_number() OVER (ORDER BY p) AS place, count(*) OVER () AS comparisons
  FROM probable
),
bounds AS (SELECT max(p) AS most FROM ranked WHERE p <= 0.05 * place / comparisons),
judged AS (
  SELECT role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, f, v, scale,
    CASE WHEN p <= least(most, 0.01) AND after_ns - before_ns >= 1000 AND after_ns > 1.05 * before_ns THEN 1 ELSE 0 END AS is_worse,
    CASE WHEN p <= 0.05 AND after_ns > before_ns THEN 1 ELSE 0 END AS is_more
  FROM ranked CROSS JOIN bounds
),
-- Of all devices is what is worse for every class that has enough sessions.
kinds AS (
  SELECT role, kind, max(is_of_all * is_worse) AS all_worse, min(CASE WHEN is_of_all = 1 THEN 1 ELSE is_more END) AS each_more,
    max((1 - is_of_all) * is_worse) AS some_worse
  FROM judged GROUP BY role, kind
)
SELECT j.role AS role, j.kind AS kind,
  CASE WHEN j.is_of_all = 0 THEN j.device_class WHEN k.each_more = 1 THEN 'all' ELSE 'average' END AS devices,
  j.before_ns AS before_ns, j.after_ns AS after_ns,
  j.after_ns - j.before_ns - sqrt(j.v * j.f * (exp(6.635776 / (j.scale * j.scale * j.f)) - 1)) AS low_ns,
  j.after_ns - j.before_ns + sqrt(j.v * j.f * (exp(6.635776 / (j.scale * j.scale * j.f)) - 1)) AS high_ns,
  j.h1 AS sessions
FROM judged j JOIN kinds k ON k.role = j.role AND k.kind = j.kind
WHERE j.is_worse = 1
  AND (CASE WHEN k.all_worse = 1 AND (k.each_more = 1 OR k.some_worse = 0) THEN 1 ELSE 0 END) = j.is_of_all
ORDER BY (j.after_ns - j.before_ns) * j.share DESC, role, kind, devices
