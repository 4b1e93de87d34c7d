/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models of the noise of a series.  The noise is s + w, where w is white and
 *
 *     s[i] = phi * s[i-1] + eta[i]
 *
 * A model fixes phi and the variances of eta and w, up to a common scale.  glsmix.c averages
 * over a fine grid of models; cause/subset.c, which compares hundreds of fits, uses a coarse one.
 */
#ifndef SEEP_ANALYSE_SERIES_NOISE_MODEL_H
#define SEEP_ANALYSE_SERIES_NOISE_MODEL_H

struct seep_noise_model {
	double phi;
	double eta, white;       /* variances of eta and w */
	double start;            /* variance of the first s */
};

/* s is 0. */
struct seep_noise_model seep_noise_model_white(void);

/* share: the part of the variance that is in s; the rest is in w. */
struct seep_noise_model seep_noise_model_autoregressive(double phi, double share);

/* ratio: variance of eta over that of w; INFINITY is a pure random walk. */
struct seep_noise_model seep_noise_model_walk(double ratio);

#endif
