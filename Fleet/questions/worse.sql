-- What costs an average session more in one version than in the one before, as replay fleet diff has it, for each app: stratum
-- by stratum of device class and the app's own dimensions, added up by the share that each has in both versions together; the
-- costliest 2 % of the sessions that have something count as the next; corrected for skewness, and for the number of an app's
-- comparisons (Benjamini and Hochberg, 5 %). Left out is what is in under 30 sessions, under 5 %, or under a microsecond.
-- Between low_ns and high_ns lies how much more, with a confidence of 99 %.
--
-- It differs from replay fleet diff in this: that finds the app's dimensions by itself, and takes the bound of the costliest
-- 2 % from a histogram, up to 6 % higher than here. Where a line is about as improbable as still counts, one may have it and
-- the other not. What is better, new, gone or renamed, costs of a minute or a write, and what 95 % do not exceed are not here.
WITH asked AS (SELECT '1.5' AS version_before, '1.6' AS version_after),
-- All whole sessions, with those that have nothing of a kind: these count as 0.
known AS (
  SELECT s.session_id AS session_id, s.app AS app, coalesce(s.device_class, '') AS device_class,
    -- For own dimensions: concat(coalesce(s.dim_experiment, ''), '/', coalesce(s.dim_screen, '')).
    '' AS dimensions,
    s.sampling_weight AS w, CASE WHEN s.app_version = asked.version_after THEN 1 ELSE 0 END AS is_after
  FROM sessions s CROSS JOIN asked
  WHERE s.app_version IN (asked.version_before, asked.version_after) AND s.log_state NOT IN ('torn', 'damaged', 'recording')
),
sides AS (
  SELECT app, device_class, dimensions,
    sum(CASE WHEN is_after = 0 THEN 1 ELSE 0 END) AS n0, sum(CASE WHEN is_after = 1 THEN 1 ELSE 0 END) AS n1,
    sum(CASE WHEN is_after = 0 THEN w ELSE 0 END) AS w0, sum(CASE WHEN is_after = 1 THEN w ELSE 0 END) AS w1,
    sum(CASE WHEN is_after = 0 THEN w * w ELSE 0 END) AS ww0, sum(CASE WHEN is_after = 1 THEN w * w ELSE 0 END) AS ww1,
    sum(CASE WHEN is_after = 0 THEN w * w * w ELSE 0 END) AS www0, sum(CASE WHEN is_after = 1 THEN w * w * w ELSE 0 END) AS www1
  FROM known GROUP BY app, device_class, dimensions
),
-- The strata that both versions have, with the shares of each in its class and in its app.
strata AS (
  SELECT row_number() OVER (ORDER BY app, device_class, dimensions) AS stratum, app, device_class, dimensions,
    n0, n1, w0, w1, ww0, ww1, www0, www1,
    (w0 + w1) / sum(w0 + w1) OVER (PARTITION BY app) AS share,
    (w0 + w1) / sum(w0 + w1) OVER (PARTITION BY app, device_class) AS share_of_class,
    CASE WHEN min(device_class) OVER (PARTITION BY app) < max(device_class) OVER (PARTITION BY app) THEN 1 ELSE 0 END
      AS has_classes
  FROM sides WHERE n0 >= 8 AND n1 >= 8
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
  SELECT k.app AS app, c.role AS role, c.kind AS kind FROM costs c JOIN known k ON k.session_id = c.session_id
  GROUP BY k.app, c.role, c.kind HAVING min(k.is_after) = 0 AND max(k.is_after) = 1
),
placed AS (
  SELECT c.role AS role, c.kind AS kind, s.stratum AS stratum, k.is_after AS is_after, k.w AS w, c.cost_ns AS cost_ns,
    row_number() OVER (PARTITION BY c.role, c.kind, s.stratum ORDER BY c.cost_ns DESC) AS place,
    count(*) OVER (PARTITION BY c.role, c.kind, s.stratum) AS having_it
  FROM costs c
  JOIN known k ON k.session_id = c.session_id
  JOIN common b ON b.app = k.app AND b.role = c.role AND b.kind = c.kind
  JOIN strata s ON s.app = k.app AND s.device_class = k.device_class AND s.dimensions = k.dimensions
),
cuts AS (
  SELECT role, kind, stratum, max(CASE WHEN place = floor(0.02 * having_it) + 1 THEN cost_ns ELSE 0 END) AS most
  FROM placed GROUP BY role, kind, stratum
),
cut AS (
  SELECT p.role AS role, p.kind AS kind, p.stratum AS stratum, p.is_after AS is_after, p.w AS w,
    least(p.cost_ns, c.most) AS x
  FROM placed p
  JOIN cuts c ON c.role = p.role AND c.kind = p.kind AND c.stratum = p.stratum
),
sums AS (
  SELECT role, kind, stratum,
    sum(CASE WHEN is_after = 0 THEN 1 ELSE 0 END) AS h0, sum(CASE WHEN is_after = 1 THEN 1 ELSE 0 END) AS h1,
    sum(CASE WHEN is_after = 0 THEN w * x ELSE 0 END) AS wx0, sum(CASE WHEN is_after = 1 THEN w * x ELSE 0 END) AS wx1,
    sum(CASE WHEN is_after = 0 THEN w * w * x ELSE 0 END) AS wwx0,
    sum(CASE WHEN is_after = 1 THEN w * w * x ELSE 0 END) AS wwx1,
    sum(CASE WHEN is_after = 0 THEN w * w * x * x ELSE 0 END) AS wwxx0,
    sum(CASE WHEN is_after = 1 THEN w * w * x * x ELSE 0 END) AS wwxx1,
    sum(w * w * w * x) AS wwwx, sum(w * w * w * x * x) AS wwwxx, sum(w * w * w * x * x * x) AS wwwxxx
  FROM cut GROUP BY role, kind, stratum
),
-- For every kind all strata, also those that have nothing of it.
means AS (
  SELECT b.app AS app, b.role AS role, b.kind AS kind, s.device_class AS device_class, s.has_classes AS has_classes,
    s.share AS share, s.share_of_class AS share_of_class, s.n0 AS n0, s.n1 AS n1, s.w0 AS w0, s.w1 AS w1,
    s.ww0 AS ww0, s.ww1 AS ww1, s.www0 AS www0, s.www1 AS www1, coalesce(x.h0, 0) AS h0, coalesce(x.h1, 0) AS h1,
    coalesce(x.wx0, 0) / s.w0 AS mean0, coalesce(x.wx1, 0) / s.w1 AS mean1,
    (coalesce(x.wx0, 0) + coalesce(x.wx1, 0)) / (s.w0 + s.w1) AS mean,
    coalesce(x.wwx0, 0) AS wwx0, coalesce(x.wwx1, 0) AS wwx1, coalesce(x.wwxx0, 0) AS wwxx0, coalesce(x.wwxx1, 0) AS wwxx1,
    coalesce(x.wwwx, 0) AS wwwx, coalesce(x.wwwxx, 0) AS wwwxx, coalesce(x.wwwxxx, 0) AS wwwxxx
  FROM common b JOIN strata s ON s.app = b.app
  LEFT JOIN sums x ON x.role = b.role AND x.kind = b.kind AND x.stratum = s.stratum
),
-- The variance of a session: at least that of both versions together, since a few sessions of which none costs much by chance
-- have a low mean and a low variance. The third moment is that of both versions.
spreads AS (
  SELECT app, role, kind, device_class, has_classes, share, share_of_class, n0, n1, h0, h1, mean0, mean1,
    w0, w1, ww0, ww1, www0, www1,
    greatest(0.0, wwxx0 - 2 * mean0 * wwx0 + mean0 * mean0 * ww0) / ww0 AS own0,
    greatest(0.0, wwxx1 - 2 * mean1 * wwx1 + mean1 * mean1 * ww1) / ww1 AS own1,
    greatest(0.0, wwxx0 + wwxx1 - 2 * mean * (wwx0 + wwx1) + mean * mean * (ww0 + ww1)) / (ww0 + ww1) AS own,
    (wwwxxx - 3 * mean * wwwxx + 3 * mean * mean * wwwx - mean * mean * mean * (www0 + www1)) / (www0 + www1) AS third,
    greatest(1.0, w0 * w0 / ww0 - 1) AS f0, greatest(1.0, w1 * w1 / ww1 - 1) AS f1
  FROM means
),
variances AS (
  SELECT app, role, kind, device_class, has_classes, share, share_of_class, n0, n1, h0, h1, mean0, mean1, f0, f1,
    greatest(own0, own) / f0 AS v0, greatest(own1, own) / f1 AS v1,
    third * (www1 / (w1 * w1 * w1) - www0 / (w0 * w0 * w0)) AS skew
  FROM spreads
),
-- A comparison for each class, and one for all.
parts AS (
  SELECT app, role, kind, device_class, 0 AS is_of_all, n0, n1, h0, h1, mean0, mean1, f0, f1, v0, v1, skew, share,
    share_of_class AS part
  FROM variances WHERE has_classes = 1
  UNION ALL
  SELECT app, role, kind, 'all' AS device_class, 1 AS is_of_all, n0, n1, h0, h1, mean0, mean1, f0, f1, v0, v1, skew, share,
    share AS part
  FROM variances
),
compared AS (
  SELECT app, role, kind, device_class, is_of_all, sum(n0) AS n0, sum(n1) AS n1, sum(h0) AS h0, sum(h1) AS h1,
    sum(part * mean0) AS before_ns, sum(part * mean1) AS after_ns, sum(share) AS share,
    sum(part * part * (v0 + v1)) AS v, sum(part * part * part * skew) AS skew,
    sum(part * part * part * part * (v0 * v0 / f0 + v1 * v1 / f1)) AS vv
  FROM parts GROUP BY app, role, kind, device_class, is_of_all
),
-- What never costs anything is a comparison too.
tested AS (
  SELECT app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v,
    CASE WHEN vv > 0 THEN greatest(1.0, v * v / vv) ELSE 1e9 END AS f,
    CASE WHEN v > 0 THEN (after_ns - before_ns) * (after_ns - before_ns) / v WHEN after_ns = before_ns THEN 0.0 ELSE 1e9 END
      AS tt,
    CASE WHEN v > 0 THEN least(1.0, greatest(0.0, CASE WHEN after_ns > before_ns THEN skew ELSE -skew END / (v * sqrt(v))))
      ELSE 0.0 END AS skew
  FROM compared WHERE n0 >= 30 AND n1 >= 30 AND h0 + h1 >= 30
),
-- Student's distribution by way of the normal one.
deviates AS (
  SELECT app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, f, skew,
    (8 * f + 1) / (8 * f + 3) AS scale,
    (8 * f + 1) / (8 * f + 3) * sqrt(f * ln(1 + tt / f)) AS z
  FROM tested
),
-- What is skewed that way is more probable (Cornish and Fisher). Beyond 3 / skew the term would make a larger move the more
-- probable one, so there it is as at 3 / skew.
corrected AS (
  SELECT app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, f, scale,
    greatest(0.0, z - skew * greatest(0.0, CASE WHEN z * skew < 3 THEN z * z ELSE 9 / (skew * skew) END - 1) / 6) AS z
  FROM deviates
),
tails AS (
  SELECT app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, f, scale, z,
    1 / (1 + 0.2316419 * z) AS t
  FROM corrected
),
probable AS (
  SELECT app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, f, scale,
    0.7978845608028654 * exp(-z * z / 2)
      * t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))) AS p
  FROM tails
),
ranked AS (
  SELECT app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, f, scale, p,
    row_number() OVER (PARTITION BY app ORDER BY p) AS place, count(*) OVER (PARTITION BY app) AS comparisons
  FROM probable
),
-- An app without a bound has nothing that is worse.
bounds AS (SELECT app, max(p) AS most FROM ranked WHERE p <= 0.05 * place / comparisons GROUP BY app),
judged AS (
  SELECT r.app AS app, role, kind, device_class, is_of_all, h1, before_ns, after_ns, share, v, f, scale,
    CASE WHEN p <= most AND p <= 0.01 AND after_ns - before_ns >= 1000 AND after_ns > 1.05 * before_ns THEN 1 ELSE 0 END
      AS is_worse,
    CASE WHEN p <= 0.05 AND after_ns > before_ns THEN 1 ELSE 0 END AS is_more
  FROM ranked r JOIN bounds b ON b.app = r.app
),
-- Of all devices is what is worse for each of several classes that have enough sessions, or if there is but one class.
kinds AS (
  SELECT j.app AS app, role, kind, max(is_of_all * is_worse) AS all_worse,
    CASE WHEN max(has_classes) = 0 THEN 1 WHEN sum(1 - is_of_all) < 2 THEN 0
      ELSE min(CASE WHEN is_of_all = 1 THEN 1 ELSE is_more END) END AS each_more, max((1 - is_of_all) * is_worse) AS some_worse
  FROM judged j JOIN (SELECT app, max(has_classes) AS has_classes FROM strata GROUP BY app) s ON s.app = j.app
  GROUP BY j.app, role, kind
)
SELECT j.app AS app, j.role AS role, j.kind AS kind,
  CASE WHEN j.is_of_all = 0 THEN j.device_class WHEN k.each_more = 1 THEN 'all' ELSE 'average' END AS devices,
  j.before_ns AS before_ns, j.after_ns AS after_ns,
  j.after_ns - j.before_ns - sqrt(j.v * j.f * (exp(6.635776 / (j.scale * j.scale * j.f)) - 1)) AS low_ns,
  j.after_ns - j.before_ns + sqrt(j.v * j.f * (exp(6.635776 / (j.scale * j.scale * j.f)) - 1)) AS high_ns,
  j.h1 AS sessions
FROM judged j JOIN kinds k ON k.app = j.app AND k.role = j.role AND k.kind = j.kind
WHERE j.is_worse = 1
  AND (CASE WHEN k.all_worse = 1 AND (k.each_more = 1 OR k.some_worse = 0) THEN 1 ELSE 0 END) = j.is_of_all
ORDER BY app, (j.after_ns - j.before_ns) * j.share DESC, role, kind, devices
