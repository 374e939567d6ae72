-- Service levels of the stock, in percent. Null for the defaults.
ALTER TABLE "StockSettings" ADD COLUMN "serviceLevel" DECIMAL(6,4), ADD COLUMN "criticalServiceLevel" DECIMAL(6,4);
ALTER TABLE "StockSettings" ADD CONSTRAINT "StockSettings_serviceLevel_check"
  CHECK ("serviceLevel" BETWEEN 50 AND 99.99 AND "criticalServiceLevel" BETWEEN 50 AND 99.99);

-- The quantile of the standard normal distribution, by P. J. Acklam's rational approximation. The relative error is below 1.2e-9.
CREATE FUNCTION "normal_quantile"(p double precision) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  q double precision;
  r double precision;
BEGIN
  IF p <= 0 OR p >= 1 THEN RETURN NULL; END IF;
  IF p > 0.97575 THEN RETURN -"normal_quantile"(1 - p); END IF;
  IF p < 0.02425 THEN
    q := sqrt(-2 * ln(p));
    RETURN (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838e+00) * q - 2.549732539343734e+00) * q + 4.374664141464968e+00) * q
      + 2.938163982698783e+00) / ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996e+00) * q + 3.754408661907416e+00) * q + 1);
  END IF;
  q := p - 0.5;
  r := q * q;
  RETURN (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r + 1.383577518672690e+02) * r - 3.066479806614716e+01) * r
    + 2.506628277459239e+00) * q / (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r + 6.680131188771972e+01) * r
    - 1.328068155288572e+01) * r + 1);
END $$;

-- The smallest number that a Poisson distribution stays at or below with the probability p. By the normal distribution above a mean of 100.
CREATE FUNCTION "poisson_quantile"(mean double precision, p double precision) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  k integer := 0;
  term double precision;
  total double precision;
BEGIN
  IF mean > 100 THEN RETURN ceil(least(mean + "normal_quantile"(p) * sqrt(mean), 2147483647)); END IF;
  term := exp(-mean);
  total := term;
  WHILE total < p AND k < 1000 LOOP
    k := k + 1;
    term := term * mean / k;
    total := total + term;
  END LOOP;
  RETURN k;
END $$;

-- The reorder point of a part at a site (docs/supply.md, "Reorder"). used: unplanned use of the last days, squares: the sum of the squares of its
-- daily sums, issues: their number, entered: the daily use that was entered, planned: the demand of plans within the lead time.
CREATE FUNCTION "reorder_rule"(used double precision, squares double precision, issues bigint, days double precision, entered double precision,
  planned double precision, lead double precision, lead_variance double precision, level double precision,
  OUT daily double precision, OUT deviation double precision, OUT "isSlow" boolean, OUT safety double precision, OUT point double precision
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  known double precision := least(days / 90, 1);
  rest double precision;
  variance double precision;
  size double precision := CASE WHEN issues > 0 AND used > 0 THEN used / issues ELSE 1 END;
  cover double precision;
BEGIN
  daily := greatest(used, 0) / greatest(days, 1);
  variance := greatest(squares / greatest(days, 1) - daily * daily, 0);
  IF entered IS NOT NULL THEN
    -- The entered use contains that of plans. Its variance is unknown, and taken to be that of single pieces at random.
    rest := CASE WHEN lead > 0 THEN greatest(entered - planned / lead, 0) ELSE entered END;
    daily := daily * known + rest * (1 - known);
    variance := variance * known + rest * (1 - known);
  END IF;
  deviation := sqrt(variance);
  "isSlow" := daily / size * 365 < 12;
  IF lead IS NULL OR daily = 0 AND planned = 0 THEN RETURN; END IF;
  IF "isSlow" THEN cover := size * "poisson_quantile"(daily / size * lead, level);
  ELSE cover := daily * lead + "normal_quantile"(level) * sqrt(lead * variance + daily * daily * coalesce(lead_variance, 0));
  END IF;
  safety := cover - daily * lead;
  point := cover + planned;
END $$;
