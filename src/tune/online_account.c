/* Cost of online tuning: the remaining time of the run, and the account that continues from run to run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/device.h"
#include "tune/online.h"

/* A new problem may begin in debt, as its first trials gain most. A run spends at most `run_shares` times its own
 * share, so that saved credit slows no run visibly. */
static const double allowance_s = 0.01, allowance_rounds = 3, allowance_max_s = 0.1, run_shares = 2;
static const double advance_max_s = 1;   /* of the earnings of the rest of the run */
static const double build_guess_s = 0.5; /* before a build is known */
static const double build_margin = 2;    /* a build begins only if the run still takes this many times as long */
static const double settle_every_s = 0.1;

void qn_online_length_report(qn_online_length *length, const char *stage, double share, double now_s)
{
    if (strncmp(length->stage, stage, sizeof length->stage - 1) != 0 || share < length->first_share) {
        snprintf(length->stage, sizeof length->stage, "%s", stage);
        length->first_s = now_s;
        length->first_share = share;
        length->is_measured = false;
        return;
    }
    if (!(share > length->first_share)) return;
    length->left_s = (now_s - length->first_s) * fmax(1 - share, 0) / (share - length->first_share);
    length->measured_s = now_s;
    length->is_measured = true;
}

double qn_online_length_left(const qn_online_length *length, double now_s)
{
    const double elapsed_s = now_s - length->started_s;
    if (length->is_measured) return fmax(length->left_s - (now_s - length->measured_s), 0);
    return length->expected_s > 0 ? fmax(fmin(length->expected_s - elapsed_s, elapsed_s), 0) : elapsed_s;
}

void qn_online_earn(qn_online_family *family, double device_s)
{
    family->device_s += device_s;
    if (family->stage == QN_ONLINE_OVER) return;
    family->account.earned_s += family->account.share * device_s;
    if (family->account.earned_s > settle_every_s) qn_online_settle(family);
}

void qn_online_spend(qn_online_family *family, double cost_s)
{
    family->account.spent_s += cost_s;
    family->account.run_spent_s += cost_s;
}

double qn_online_build_cost(const qn_online_family *family, double build_s)
{
    const int units = qn_device_get_info(family->device)->compute_units;
    if (!qn_online_is_cpu(family)) return 0;
    return units > 1 ? build_s / units : build_s;
}

/* Seconds that the rest of the run will add to the account, up to a limit. If the remaining time was measured, they may
 * be spent early, when a faster configuration saves most. */
static double advance(const qn_online_family *family)
{
    const double now_s = qn_clock_s(), elapsed_s = now_s - family->length->started_s;
    if (!family->length->is_measured || elapsed_s <= 0) return 0;
    const double left_s = qn_online_length_left(family->length, now_s) * fmin(family->device_s / elapsed_s, 1);
    return fmin(family->account.share * left_s, advance_max_s);
}

/* The first cost of a run is not limited by the run's own share; otherwise no run could pay a large cost that the
 * credit covers. */
static bool can_afford(const qn_online_family *family, double cost_s)
{
    const qn_online_account *account = &family->account;
    const double early_s = advance(family);
    const double allowed_s = fmin(allowance_s + allowance_rounds * family->known_round_s, allowance_max_s);
    const double balance_s = account->credit_s + account->earned_s - account->spent_s;
    const double run_max_s = run_shares * (account->share * family->device_s + early_s) + allowed_s;
    return cost_s <= balance_s + early_s + allowed_s &&
           (account->run_spent_s + cost_s <= run_max_s || account->run_spent_s == 0);
}

/* A trial is expected to cost the mean of those before it; the first one, a round. */
bool qn_online_can_try(const qn_online_family *family)
{
    return can_afford(family, family->tests > 0 ? family->lost_s / (double)family->tests : family->known_round_s);
}

bool qn_online_can_build(const qn_online_family *family)
{
    const bool builds = strcmp(qn_device_get_info(family->device)->driver, "host") != 0;
    const double build_s = !builds ? 0 : family->build_max_s > 0 ? family->build_max_s : build_guess_s;
    return can_afford(family, qn_online_build_cost(family, build_s)) &&
           qn_online_length_left(family->length, qn_clock_s()) >= build_margin * build_s;
}

void qn_online_settle(qn_online_family *family)
{
    qn_online_account *account = &family->account;
    const double change_s = account->earned_s - account->spent_s;
    account->earned_s = account->spent_s = 0;
    account->credit_s += change_s;
    if (!family->problem || !family->keeps_account) return;
    qn_tune_account kept;
    const qn_status status = qn_tune_store_settle(family->store, family->problem, change_s, &kept);
    if (status == QN_OK) account->credit_s = kept.credit_s;
    qn_online_check_store(family, status);
}
