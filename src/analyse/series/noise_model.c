/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyse/series/noise_model.h"

#include <math.h>

#define START_LEAST 1e-3         /* the first value of a slow walk is not known any better */

struct seep_noise_model seep_noise_model_white(void)
{
	return (struct seep_noise_model){ .white = 1 };
}

struct seep_noise_model seep_noise_model_autoregressive(double phi, double share)
{
	return (struct seep_noise_model){
		.phi = phi, .eta = share * (1 - phi * phi), .white = 1 - share, .start = share,
	};
}

struct seep_noise_model seep_noise_model_walk(double ratio)
{
	double eta = isinf(ratio) ? 1 : ratio;

	return (struct seep_noise_model){
		.phi = 1, .eta = eta, .white = isinf(ratio) ? 0 : 1,
		.start = fmax(eta, START_LEAST),
	};
}
