// Made by make_nuts_references.py from BlackJAX: mean and standard error over exact starts.
inline constexpr NutsReference scaled_normal_step_0_12 = {{21.953, 0.0493},
                                                          {0.897136, 0.000615},
                                                          {{{0, 0},
                                                            {0.00134277, 0.000206},
                                                            {0.0421448, 0.00114},
                                                            {0.533447, 0.00292},
                                                            {0.999084, 0.000172},
                                                            {1, 0},
                                                            {1, 0}}}};
inline constexpr NutsReference mixture_step_0_0316 = {{12.0195, 0.177},
                                                      {0.857949, 0.000669},
                                                      {{{0, 0},
                                                        {0, 0},
                                                        {0.915924, 0.00154},
                                                        {0.965302, 0.00101},
                                                        {0.974121, 0.000884},
                                                        {0.977722, 0.000817},
                                                        {0.984528, 0.000672}}}};
